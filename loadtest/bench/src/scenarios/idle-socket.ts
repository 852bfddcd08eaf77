// Scenario `idle-socket`: resident memory per socket of the holding process, with 5,000 listening
// sockets, against plain Socket.IO.
import { setTimeout as sleep } from 'node:timers/promises';
import { readResidentBytes } from '../measure/proc.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openPushSides, type PushSide } from './push-sides.ts';

const SOCKETS = 5_000;
const QUICK_SOCKETS = 1_000;
const SOCKETS_A_USER = 10;
/** Opened first, so that code and pools are loaded before the measurement. */
const FIRST_SOCKETS = 500;
/** Releases the memory that only the opening needed. */
const REST_MS = 15_000;
const QUICK_REST_MS = 3_000;

/** Uses its own stack: sockets could reuse memory that an earlier scenario left free. */
export const idleSocket = onOwnStack(run);

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const [count, restMs] = pace.quick ? [QUICK_SOCKETS, QUICK_REST_MS] : [SOCKETS, REST_MS];
  const { ours, baseline, stop } = await openPushSides(stack, count / SOCKETS_A_USER);
  try {
    const bytes = { ours: 0, baseline: 0 };
    for (const side of [baseline, ours]) {
      await side.open(FIRST_SOCKETS);
      await sleep(restMs);
      const before = residentOf(side);
      await side.open(count);
      await sleep(restMs);
      bytes[side.name] = (residentOf(side) - before) / count;
      note(`${side.name}: ${(bytes[side.name] / 1_024).toFixed(1)} KiB a socket`);
    }
    const [own, other] = [bytes.ours / 1_024, bytes.baseline / 1_024];
    return [resultOf({ scenario: 'idle-socket', ours: own, baseline: other, unit: 'KiB a socket' })];
  } finally {
    await stop();
  }
}

function residentOf(side: PushSide): number {
  return side.pushers().reduce((sum, pid) => sum + readResidentBytes(pid), 0);
}
