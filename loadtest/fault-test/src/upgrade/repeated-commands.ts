// Sends answered commands again under their keys, so that one release must recognise what the other one
// executed. Rule: GEN8.
import type { Random } from '@taskgraph/testkit/random';
import type { Anomaly, Command } from '../history/history.ts';
import { restCaller } from '../run/callers.ts';
import { readDiff } from '../run/forest.ts';
import type { RunUser } from '../run/writer.ts';

interface RepeatOptions {
  readonly users: readonly RunUser[];
  readonly urls: readonly [string, string];
  readonly commands: readonly Command[];
  readonly random: Random;
}

const MOST = 30;

export async function repeatCommands({
  users,
  urls,
  commands,
  random,
}: RepeatOptions): Promise<{ count: number; anomalies: Anomaly[] }> {
  const callers = new Map(users.map(({ id, token }) => [id, restCaller({ name: 'repeat', urls, token })]));
  const written = commands.filter(({ outcome }) => outcome.kind === 'done' && outcome.batch !== null);
  const chosen = new Set(Array.from({ length: MOST }, () => random.of(written)));
  const anomalies: Anomaly[] = [];
  for (const command of chosen) {
    const { event, payload, key, user, outcome } = command;
    const reply = await callers.get(user)?.call(event, payload, key);
    const batch = reply?.kind === 'done' ? readDiff(reply.body.diff ?? reply.body).batch : null;
    if (outcome.kind === 'done' && batch === outcome.batch) continue;
    const what = `${event} under ${key} was answered with ${batch ?? JSON.stringify(reply)}`;
    anomalies.push({ kind: 'a repeated command did not get its first answer', what, about: [command] });
  }
  return { count: chosen.size, anomalies };
}
