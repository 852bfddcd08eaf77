import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { startGuardian } from './guardian.ts';

const child = spawn(process.execPath, ['--eval', 'console.log("runs"); setInterval(() => {}, 1000);'], {
  stdio: ['ignore', 'pipe', 'ignore'],
  detached: true,
});
afterEach(() => void child.kill('SIGKILL'));

test('the guardian of a launcher that has ended also ends processes that are stopped by SIGSTOP', async () => {
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const guardian = startGuardian();
  guardian.watch([child.pid as number]);
  process.kill(-(child.pid as number), 'SIGSTOP');
  guardian.release();
  expect(await exited).toEqual([null, 'SIGTERM']);
});
