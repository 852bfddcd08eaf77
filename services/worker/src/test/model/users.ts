// The users of random runs, and the output of a run.
import { addBot } from '@taskgraph/graph-store/accounts/bots';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ModelCommand, ModelUser } from '@taskgraph/reference-model/state';
import { randomSlot } from '@taskgraph/runtime/ids';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { makeUser, newId } from '../support/harness.ts';

/** Four new users, who share nothing yet. */
export function makeFour(database: Database): Promise<ModelUser[]> {
  return Promise.all(['ada', 'bob', 'cy', 'dee'].map((name) => makeUser(database, name)));
}

/** Three new users and a bot of the first. */
export async function makeThreeAndBot(database: Database): Promise<ModelUser[]> {
  const three = await Promise.all(['ada', 'bob', 'cy'].map((name) => makeUser(database, name)));
  const maintainer = three[0]?.id ?? '';
  const wanted = { userId: maintainer, id: newId(randomSlot()), name: 'dee', now: new Date().toISOString() };
  const bot = await addBot(database, wanted);
  if (typeof bot === 'string') throw new Error(`a bot was refused: ${bot}`);
  return [...three, { id: bot.id, username: bot.name, email: bot.email, maintainer }];
}

/** Prints a line immediately: the reporter would delay it until the end of a long run. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * A command and its answer as one line: the code of a refusal, or the batch with the diff's
 * entities as `op:id@version`.
 */
export function told({ actor, event, payload }: ModelCommand, reply: ReplyMessage): string {
  return `${actor.username} ${event} ${JSON.stringify(payload)} -> ${answerIn(reply)}`;
}

function answerIn(reply: ReplyMessage): string {
  if (!reply.ok) return `${reply.error} ${JSON.stringify(reply.details ?? {})}`;
  const diff = reply.body.diff as Record<string, { op: number; after: { id?: string; version?: number } }[]>;
  const told = ['nodes', 'links', 'access'].flatMap((list) => diff[list] ?? []);
  return `${String(reply.body.batchId ?? diff.batchId)} ${told.map(({ op, after }) => `${op}:${after.id}@${after.version}`).join(' ')}`;
}
