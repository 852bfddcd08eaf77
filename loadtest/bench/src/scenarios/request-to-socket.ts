// Scenario `request-to-socket`: from the request of an update to its receipt by 1,000 sockets, at 100 updates a second, against plain
// Socket.IO that relays from memory and stores nothing.
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openPushing, type Push, type Pushing } from './pushing-sides.ts';
import type { Bench, Measurement } from './scenario.ts';

const SOCKETS = 1_000;
const GUESTS = 20;
const PACING = { rate: 100, burst: 1 };

export const requestToSocket: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const { ours, baseline, stop } = await openPushing(stack, GUESTS);
  try {
    for (const side of [ours, baseline]) await side.open(SOCKETS);
    const speak = (side: Pushing) => side.speak({ ...PACING, ms: pace.turnMs });
    const turn = (side: Pushing) => async () => (await speak(side)).heard.p50;
    note('warming up');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note);
    const pushes = { ours: [] as Push[], baseline: [] as Push[] };
    for (let at = 1; at <= pace.turns; at++) {
      for (const side of [baseline, ours]) pushes[side.name].push(await speak(side));
      note(`turn ${at} of ${pace.turns}: p50 ours ${last(pushes.ours)}, baseline ${last(pushes.baseline)} ms`);
    }
    const p50 = (side: readonly Push[]) => median(side.map(({ heard }) => heard.p50));
    const p99 = (side: readonly Push[]) => median(side.map(({ heard }) => heard.p99)).toFixed(0);
    return [
      resultOf({
        ...{ scenario: 'request-to-socket', ours: p50(pushes.ours), baseline: p50(pushes.baseline), unit: 'ms p50' },
        warmUp: warmed,
        notes: [`p99: ours ${p99(pushes.ours)} ms, baseline ${p99(pushes.baseline)} ms`, arrival('ours', pushes.ours)],
      }),
    ];
  } finally {
    await stop();
  }
}

function last(pushes: readonly Push[]): string {
  return (pushes.at(-1)?.heard.p50 ?? Number.NaN).toFixed(1);
}

function arrival(name: string, pushes: readonly Push[]): string {
  const wanted = pushes.reduce((sum, { spoken }) => sum + spoken.answeredUs.size * SOCKETS, 0);
  return `${name}: ${pushes.reduce((sum, { heard }) => sum + heard.deliveries, 0)} of ${wanted} deliveries came`;
}
