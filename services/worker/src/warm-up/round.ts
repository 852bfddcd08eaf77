// One round of the warm-up: commands and reads of two users who exist only in its transaction,
// which is rolled back, so that nobody sees them.
import { randomBytes } from 'node:crypto';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { createLoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { openSandbox } from '@taskgraph/graph-store/driver/sandbox';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { isRefusal } from '@taskgraph/wire/errors';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, Status } from '@taskgraph/wire/codes';
import { createGraphCache } from '../commit/cache/graph-cache.ts';
import { commandOf } from '../commit/command-handler.ts';
import { commitGroup } from '../commit/commit-group.ts';
import type { GroupEnvironment } from '../commit/group-environment.ts';
import { groupModes } from '../commit/group-modes.ts';
import { jobOf } from '../commit/job.ts';
import { createOwnerCache } from '../commit/owner-cache.ts';
import { createPageBudget } from '../reads/page-budget.ts';
import { answerRead } from '../reads/reads.ts';

/** The server rolls a round back after this time, whatever becomes of the worker. */
const ROUND_LIMIT_MS = 30_000;
const CHILDREN = 12;
const ENTITIES = 1_000;
const MIB = 1024 * 1024;

interface RoundOptions {
  readonly database: Database;
  readonly nowMs: () => number;
  readonly mayContinue: () => boolean;
}

/**
 * Returns whether it ran all statements. Rejects if one fails, or if a command or a read is
 * refused. Leaves nothing in any case.
 */
export async function runRound({ database, nowMs, mayContinue }: RoundOptions): Promise<boolean> {
  const sandbox = openSandbox(database, ROUND_LIMIT_MS);
  try {
    for await (const _ of steps(sandbox.database, nowMs)) if (!mayContinue()) return false;
    return true;
  } finally {
    await sandbox.end();
  }
}

/** Yields after each group of commands and each read. */
async function* steps(database: Database, nowMs: () => number): AsyncGenerator<void> {
  const newId = createIdFactory({ nowMs });
  const owner = await scratchUser(database, newId);
  const guest = await scratchUser(database, newId);
  yield;
  const send = openCommands(database, nowMs, newId);
  const [root] = await send(owner, [['node:add', { title: 'warm-up' }]]);
  yield;
  const child = ['node:add', { target: root, title: 'child' }] as const;
  const children = await send(owner, new Array(CHILDREN).fill(child));
  yield;
  await send(owner, [['node:access', { id: root, email: guest.email, level: Level.EDITOR, branch: true }]]);
  yield;
  for (const id of children) {
    await send(guest, [['node:update', { id, title: 'renamed' }]]);
    yield;
  }
  const links = children.slice(1).map((id, at) => ['link:add', { source: id, target: children[at] }] as const);
  await send(owner, links);
  yield;
  // The others are blocked.
  await send(owner, [['node:update', { id: children.at(-1), status: Status.COMPLETED }]]);
  yield;
  await send(owner, [['node:trash', { id: children[0] }]]);
  for (const reader of [owner, guest]) {
    for (const event of ['graph:get', 'history:page']) {
      yield;
      await read(database, nowMs, reader, event);
    }
  }
}

async function scratchUser(database: Database, newId: (slot: number) => string): Promise<ActingUser> {
  const id = newId(randomSlot());
  // No sign-up accepts this domain.
  const email = `${randomBytes(16).toString('hex')}@warm-up.invalid`;
  return ensureUser(database, { id, username: 'warm-up', email, now: new Date().toISOString() });
}

type Call = readonly [event: string, payload: Readonly<Record<string, unknown>>];

/** Returns a function that executes commands in one group, and resolves with the ids of their nodes. */
function openCommands(database: Database, nowMs: () => number, newId: (slot: number) => string) {
  const environment: GroupEnvironment = {
    database,
    owners: createOwnerCache(),
    graphCache: createGraphCache(MIB),
    loadStatementFor: createLoadPlans({ plan: async () => undefined, onFailure: () => undefined }).statementFor,
    newId,
    newToken: newPublicToken,
    nowMs,
    longestOpenMs: ROUND_LIMIT_MS,
    publish: () => undefined,
    onUnpublished: () => undefined,
  };
  const mode = groupModes(ENTITIES).together;
  return async (actor: ActingUser, calls: readonly Call[]): Promise<string[]> => {
    const replies: Reply[] = [];
    const jobs = calls.map(([event, payload], at) => {
      const message = {
        id: newId(0),
        event,
        payload,
        actor,
        key: null,
        deadline: nowMs() + ROUND_LIMIT_MS,
        traceId: 'warm-up',
      };
      const job = jobOf(message, commandOf(message, 'users'), (reply) => {
        replies[at] = reply;
      });
      if (isRefusal(job)) throw new Error(`${event} was refused as ${job.code}`);
      return job;
    });
    await commitGroup(jobs, mode, environment);
    return calls.map(([event], at) => nodeOf(event, replies[at]));
  };
}

/** The id of the first node in a command's diff; empty for a command on links. */
function nodeOf(event: string, reply: Reply | undefined): string {
  if (reply === undefined || !('ok' in reply) || !reply.ok) throw new Error(`${event} was not done`);
  const { nodes } = reply.body.diff as { nodes: { after: { id: string } | null }[] };
  return nodes[0]?.after?.id ?? '';
}

async function read(database: Database, nowMs: () => number, actor: ActingUser, event: string): Promise<void> {
  const pages = createPageBudget({ pageBytes: MIB, budgetBytes: 3 * MIB, waitMs: 0 });
  const message = { event, payload: {}, actor, deadline: nowMs() + ROUND_LIMIT_MS, traceId: 'warm-up' };
  const reply = await answerRead(message, { database, secret: '', nowMs, pages });
  if (!reply.ok) throw new Error(`${event} was refused`);
}
