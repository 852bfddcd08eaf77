// Scenario `commit-to-socket`: from the answer of an update, which comes after its commit, to the last of 100 watchers, under 200 updates a
// second. Plain Socket.IO, which commits nothing, is beside it. Its figure is reported and not judged.
import { histogram, percentile } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openPushing, type Push, type Pushing } from './pushing-sides.ts';
import type { Bench, Measurement } from './scenario.ts';

const WATCHERS = 100;
const GUESTS = 20;
const PACING = { rate: 200, burst: 1 };
/** Upper bounds in milliseconds. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000] as const;

export const commitToSocket: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const { ours, baseline, stop } = await openPushing(stack, GUESTS);
  try {
    for (const side of [ours, baseline]) await side.open(WATCHERS);
    const speak = (side: Pushing) => side.speak({ ...PACING, ms: pace.turnMs });
    const turn = (side: Pushing) => async () => (await speak(side)).heard.p50;
    note('warming up');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note);
    const waits = { ours: [] as number[], baseline: [] as number[] };
    let missing = 0;
    for (let at = 1; at <= pace.turns; at++) {
      for (const side of [baseline, ours]) {
        const push = await speak(side);
        const found = waitsOf(push);
        waits[side.name].push(...found);
        if (side === ours) missing += push.spoken.answeredUs.size - found.length;
      }
      note(`turn ${at} of ${pace.turns}: ${waits.ours.length} updates of ours watched`);
    }
    const p99 = (values: readonly number[]) => percentile(values, 0.99);
    return [
      resultOf({
        ...{ scenario: 'commit-to-socket', ours: p99(waits.ours), baseline: p99(waits.baseline), unit: 'ms p99' },
        warmUp: warmed,
        notes: [`ours: ${shown(waits.ours)}`, `updates that did not reach all watchers: ${missing}`],
      }),
    ];
  } finally {
    await stop();
  }
}

/** Milliseconds from answer to last receipt, of each update that reached all. A push may overtake the answer: then it is 0. */
function waitsOf({ spoken, heard }: Push): number[] {
  const waits: number[] = [];
  for (const [mark, answeredUs] of spoken.answeredUs) {
    const update = heard.updates.get(mark);
    if (update?.count === WATCHERS) waits.push(Math.max(0, (update.lastUs - answeredUs) / 1_000));
  }
  return waits;
}

function shown(waits: readonly number[]): string {
  return histogram(waits, BOUNDS)
    .map(([bound, count]) => `${bound === Number.POSITIVE_INFINITY ? 'more' : `up to ${bound} ms`} ${count}`)
    .join(', ');
}
