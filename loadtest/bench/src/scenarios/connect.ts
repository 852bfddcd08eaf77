// Scenario `connect`: the time to open 4,000 authenticated sockets, until each has been greeted,
// against plain Socket.IO.
import { addCpu, type Cpu, perOperation } from '../measure/cpu.ts';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { COPIED_LOOKUPS, roleTotal, STATEMENTS, workerTotal } from '../stack/scrape.ts';
import { openPushSides, type PushSide } from './push-sides.ts';

const SOCKETS = 4_000;
const QUICK_SOCKETS = 2_000;
/** Users have several windows and devices. */
const SOCKETS_A_USER = 4;
/** A turn sends the database only some hundred statements. */
const WARM_UP_MS = 180_000;

export const connectSockets: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const count = pace.quick ? QUICK_SOCKETS : SOCKETS;
  const { ours, baseline, stop } = await openPushSides(stack, count / SOCKETS_A_USER);
  try {
    const samples = { ours: [] as Cpu[], baseline: [] as Cpu[] };
    const turn = (side: PushSide) => async () => {
      const meter = side.meter();
      const ms = await side.open(count);
      samples[side.name].push(meter());
      await side.close();
      return ms / 1_000;
    };
    note('warming up');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note, {
      leastMs: pace.quick ? 0 : WARM_UP_MS,
    });
    for (const each of Object.values(samples)) each.length = 0;
    const before = await workerTotal(stack, STATEMENTS);
    const copiedBefore = await roleTotal(stack, 'gateway', COPIED_LOOKUPS);
    const seconds = { ours: [] as number[], baseline: [] as number[] };
    for (let at = 1; at <= pace.turns; at++) {
      for (const side of [baseline, ours]) seconds[side.name].push(await turn(side)());
      note(
        `turn ${at} of ${pace.turns}: ours ${seconds.ours.at(-1)?.toFixed(2)}, baseline ${seconds.baseline.at(-1)?.toFixed(2)} s`,
      );
    }
    const statements = (await workerTotal(stack, STATEMENTS)) - before;
    const copied = (await roleTotal(stack, 'gateway', COPIED_LOOKUPS)) - copiedBefore;
    const cpuOf = (side: PushSide) => perOperation(addCpu(samples[side.name]), count * pace.turns);
    return [
      resultOf({
        scenario: 'connect',
        ours: median(seconds.ours),
        baseline: median(seconds.baseline),
        warmUp: warmed,
        unit: `s to open ${count} sockets`,
        cpu: { ours: cpuOf(ours), baseline: cpuOf(baseline) },
        notes: [
          `ours: ${(statements / (count * pace.turns)).toFixed(2)} statements a socket, including the services' own`,
          `ours: ${(copied / (count * pace.turns)).toFixed(2)} of the sockets copied the feeds of another one`,
        ],
      }),
    ];
  } finally {
    await stop();
  }
}
