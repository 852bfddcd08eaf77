// Scenario `restart`: the p99 of updates at 20 a second in the first minute after a restart of the
// database, whose code is cold, against the minutes before.
import { setTimeout as sleep } from 'node:timers/promises';
import { forkClient } from '../clients/process.ts';
import { median, percentile } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { SentUpdates, UpdateSenderActs } from '../sockets/update-sender.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createSharedBranch } from '../stack/shared-branch.ts';
import { OUR_PATH } from './push-sides.ts';

const RATE = { rate: 20, burst: 1 };
const MINUTE_MS = 60_000;
const QUICK_MINUTE_MS = 20_000;
/** Each takes three minutes: half a minute until the database answers, and two minutes of updates. */
const RESTARTS = 3;
const NODES = 1_000;
/** One update, repeated until the service accepts one. */
const PROBE = { rate: 5, burst: 1, ms: 200 };
const POLL_MS = 100;
const LONGEST_AWAY_MS = 180_000;

export const restart = onOwnStack(run);

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const branch = await createSharedBranch(stack, 'restart', NODES);
  const sender = await forkClient<UpdateSenderActs>('update-sender', {
    url: stack.urls[0],
    path: OUR_PATH,
    auth: { api_token: branch.owner.token },
    event: 'node:update',
    ids: [branch.root],
  });
  const minuteMs = pace.quick ? QUICK_MINUTE_MS : MINUTE_MS;
  const minute = async () => waitsOf(await sender.acts.sendUpdates({ ...RATE, ms: minuteMs }));
  try {
    const p50 = async () => median(waitsOf(await sender.acts.sendUpdates({ ...RATE, ms: pace.turnMs })));
    note('warming up');
    const warmed = await warmUp({ ours: p50 }, pace.warmUpLimitMs, note);
    const before: number[] = [];
    const after: number[] = [];
    for (let turn = 1; turn <= (pace.quick ? 1 : RESTARTS); turn++) {
      before.push(percentile(await minute(), 0.99));
      await restartDatabase(stack, sender.acts);
      after.push(percentile(await minute(), 0.99));
      note(`restart ${turn}: p99 ${after.at(-1)?.toFixed(0)} ms, ${before.at(-1)?.toFixed(0)} before`);
      // The next steady minute needs warm code again.
      await warmUp({ ours: p50 }, pace.warmUpLimitMs, note);
    }
    return [
      resultOf({
        scenario: 'restart',
        ours: median(after),
        baseline: median(before),
        unit: 'ms p99',
        warmUp: warmed,
        notes: [`after each restart: ${after.map((ms) => ms.toFixed(0)).join(', ')} ms`],
      }),
    ];
  } finally {
    await sender.stop();
  }
}

/**
 * Kills the database, which the launcher starts again. Resolves with the first update that the
 * service accepts afterwards.
 */
async function restartDatabase({ stack }: BenchStack, acts: UpdateSenderActs): Promise<void> {
  const earlier = stack.backends.restarts().neo4j ?? 0;
  const startedAt = performance.now();
  const checkTime = () => {
    if (performance.now() - startedAt > LONGEST_AWAY_MS) throw new Error('the database did not come back');
  };
  stack.backends.kill('neo4j');
  while ((stack.backends.restarts().neo4j ?? 0) === earlier) {
    checkTime();
    await sleep(POLL_MS);
  }
  while ((await acts.sendUpdates(PROBE)).answeredUs.size === 0) checkTime();
}

/** Milliseconds of each accepted update. */
function waitsOf({ answeredUs }: SentUpdates): number[] {
  return [...answeredUs].map(([sentUs, atUs]) => (atUs - sentUs) / 1_000);
}
