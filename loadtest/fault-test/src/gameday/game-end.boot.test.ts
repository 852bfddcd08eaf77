// A game day that fails or is ended during a fault: no process remains, neither stopped nor running.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { autoOperator, playGame } from './game.ts';
import { SCENARIOS } from './scenarios.ts';

const MAIN = fileURLToPath(new URL('../../dist/gameday/main.js', import.meta.url));
const POLL_MS = 20;

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function listProcesses(): ListedProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '']) => ({ pid: Number(pid), parent: Number(parent), state }))
    .filter(({ state }) => !state.startsWith('Z'));
}

const childrenOf = (parent: number) => listProcesses().filter((each) => each.parent === parent);
const isStopped = ({ state }: ListedProcess) => state.startsWith('T');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-gameday-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a game day that gets %s while a worker hangs leaves no process',
  async (signal) => {
    const game = spawn(process.execPath, [MAIN, '--only', 'worker', '--auto'], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(game, 'exit');
    let children: readonly ListedProcess[] = [];
    while (!children.some(isStopped)) {
      if (game.exitCode !== null) throw new Error('it ended before the fault');
      children = childrenOf(game.pid as number);
      await sleep(POLL_MS);
    }
    expect(children.length).toBeGreaterThan(9);
    game.kill(signal);
    expect(await exited).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [130, null]);
    await untilEnded(children);
  },
);

test('a game day whose action fails ends the fault and stops its stack', async () => {
  const before = new Set(childrenOf(process.pid).map(({ pid }) => pid));
  let children: readonly ListedProcess[] = [];
  const failing = SCENARIOS.filter(({ name }) => name === 'worker').map((scenario): typeof scenario => ({
    ...scenario,
    async begin(game) {
      const fault = await scenario.begin(game);
      return {
        ...fault,
        async repair() {
          children = childrenOf(process.pid).filter(({ pid }) => !before.has(pid));
          throw new Error('the action failed');
        },
      };
    },
  }));
  const { signal } = new AbortController();
  await expect(playGame(failing, { operator: autoOperator, print: () => undefined, signal })).rejects.toThrow(
    'the action failed',
  );
  expect(children.filter(isStopped).length).toBeGreaterThan(0);
  await untilEnded(children);
});

async function untilEnded(processes: readonly ListedProcess[]): Promise<void> {
  const left = () => listProcesses().filter(({ pid }) => processes.some((each) => each.pid === pid));
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 90_000, interval: 100 });
}
