// Scenario `commit-to-socket`: the time from an update's answer, which follows its commit, to its
// receipt by the last of 100 watchers, at 200 updates a second. Plain Socket.IO, which commits
// nothing, runs beside it. The figure has no goal.
import { histogram, percentile } from '../measure/figures.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { type Push, pushInTurns } from './push-sides.ts';

const WATCHERS = 100;
/** Upper bounds in milliseconds. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;

export const commitToSocket: Measurement = { stack: {}, run };

async function run(bench: Bench, stack: BenchStack): Promise<Result[]> {
  const { pushes, warmed } = await pushInTurns(bench, stack, { guests: 20, sockets: WATCHERS, rate: 200 });
  const [ours, baseline] = [pushes.ours, pushes.baseline].map((side) => side.flatMap(waitsOf)) as [number[], number[]];
  const missing = pushes.ours.reduce((sum, { sentUpdates }) => sum + sentUpdates.answeredUs.size, -ours.length);
  const p99 = (values: readonly number[]) => percentile(values, 0.99);
  return [
    resultOf({
      scenario: 'commit-to-socket',
      ours: p99(ours),
      baseline: p99(baseline),
      unit: 'ms p99',
      warmUp: warmed,
      notes: [`ours: ${formatFigure(ours)}`, `updates that did not reach all watchers: ${missing}`],
    }),
  ];
}

/**
 * Milliseconds from answer to last receipt, of each update that reached all watchers. It is 0 if
 * the push overtakes the answer.
 */
function waitsOf({ sentUpdates, received }: Push): number[] {
  const waits: number[] = [];
  for (const [mark, answeredUs] of sentUpdates.answeredUs) {
    const update = received.updates.get(mark);
    if (update?.count === WATCHERS) waits.push(Math.max(0, (update.lastUs - answeredUs) / 1_000));
  }
  return waits;
}

function formatFigure(waits: readonly number[]): string {
  return histogram(waits, BOUNDS)
    .map(([bound, count]) => `${bound === Number.POSITIVE_INFINITY ? 'more' : `up to ${bound} ms`} ${count}`)
    .join(', ');
}
