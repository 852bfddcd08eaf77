// A service process whose clock is set while it runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { createClocks } from './clocks.ts';

const HOUR_MS = 3_600_000;
/** Prints the time for each line that it reads, from every clock function. */
const PROGRAM = `
require('node:readline').createInterface(process.stdin).on('line', () => {
  const asked = [Date.now(), new Date().getTime(), new Date(Date.parse(new Date().toISOString())).getTime()];
  const kept = [new Date(5).getTime() === 5, new Date() instanceof Date, new Date().constructor === Date, Date.UTC(1970, 0, 1) === 0];
  console.log(JSON.stringify({ asked, kept, steady: performance.now() }));
});`;

const clocks = createClocks();
afterAll(clocks.clear);

test('Date jumps forward and back, and the monotonic clock continues', async () => {
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    env: { ...process.env, ...clocks.environment, WORKER_ID: 'worker-1' },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async () => {
    child.stdin.write('\n');
    return JSON.parse((await lines.next()).value as string) as { asked: number[]; kept: boolean[]; steady: number };
  };
  try {
    let before = 0;
    for (const aheadMs of [0, HOUR_MS, -HOUR_MS]) {
      clocks.set('worker-1', aheadMs);
      clocks.set('worker-2', 5 * HOUR_MS);
      await expect
        .poll(async () => Math.round(((await ask()).asked[0] as number) - Date.now()) / HOUR_MS)
        .toBeCloseTo(aheadMs / HOUR_MS, 1);
      const { asked, kept, steady } = await ask();
      for (const each of asked) expect((each - Date.now()) / HOUR_MS).toBeCloseTo(aheadMs / HOUR_MS, 1);
      expect(kept).toEqual([true, true, true, true]);
      expect(steady).toBeGreaterThan(before);
      before = steady;
    }
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }
});
