// Scenario `request-to-socket`: the time from an update's request to its receipt by 100 and by 1,000
// sockets, at 20 updates a second, against plain Socket.IO that relays from memory and stores
// nothing.
import { addCpu, perOperation } from '../measure/cpu.ts';
import { median } from '../measure/figures.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { type Push, pushInTurns } from './push-sides.ts';

const SOCKETS = [100, 1_000] as const;
const GUESTS = 20;
/**
 * At five times this rate deliveries to 1,000 sockets alone saturate two processors, and the
 * measured time is their queue.
 */
const RATE = 20;

export const requestToSocket: Measurement = { stack: {}, run };

async function run(bench: Bench, stack: BenchStack): Promise<Result[]> {
  const results: Result[] = [];
  for (const sockets of SOCKETS) results.push(await measure(bench, stack, sockets));
  return results;
}

async function measure(bench: Bench, stack: BenchStack, sockets: number): Promise<Result> {
  const { pushes, warmed } = await pushInTurns(bench, stack, { guests: GUESTS, sockets, rate: RATE });
  const p50 = (side: readonly Push[]) => median(side.map(({ received }) => received.p50));
  const p99 = (side: readonly Push[]) => median(side.map(({ received }) => received.p99)).toFixed(0);
  return resultOf({
    scenario: `request-to-socket ${sockets}`,
    ours: p50(pushes.ours),
    baseline: p50(pushes.baseline),
    unit: 'ms p50',
    warmUp: warmed,
    cpu: { ours: cpuOf(pushes.ours), baseline: cpuOf(pushes.baseline) },
    notes: [
      `p99: ours ${p99(pushes.ours)} ms, baseline ${p99(pushes.baseline)} ms`,
      `ours: ${arrivals(pushes.ours)} of ${answered(pushes.ours) * sockets} deliveries came`,
    ],
  });
}

/** Milliseconds per update. */
function cpuOf(pushes: readonly Push[]) {
  return perOperation(addCpu(pushes.map(({ cpu }) => cpu)), answered(pushes));
}

function answered(pushes: readonly Push[]): number {
  return pushes.reduce((sum, { sentUpdates }) => sum + sentUpdates.answeredUs.size, 0);
}

function arrivals(pushes: readonly Push[]): number {
  return pushes.reduce((sum, { received }) => sum + received.deliveries, 0);
}
