import { expect, test } from 'vitest';
import { runCommand } from './commands.ts';

test('an aborted command with `killed` has ended when it throws, even if it ignores SIGTERM', async () => {
  const stopping = new AbortController();
  const pids: number[] = [];
  const running = runCommand('sh', ['-c', "trap '' TERM; echo on; while :; do :; done"], {
    signal: stopping.signal,
    killed: true,
    onPid: (pid) => void pids.push(pid),
    onLine: () => stopping.abort(),
  });
  await expect(running).rejects.toThrow('aborted');
  expect(() => process.kill(pids[0] as number, 0)).toThrow('ESRCH');
});
