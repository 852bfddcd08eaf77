// A game day that fails or is ended during a fault: no process remains, neither stopped nor running.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { autoOperator, playGame } from './game.ts';
import { SCENARIOS } from './scenarios.ts';

const MAIN = fileURLToPath(new URL('../../dist/gameday/main.js', import.meta.url));
const POLL_MS = 20;
const LIMITS = { timeout: 300_000, interval: 100 };
/** Makes the archive of Neo4j's classes once for all stacks, and ends by itself. */
const ARCHIVER = '-Xshare:dump';

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  /** For the message of a failure. */
  readonly command: string;
}

function listProcesses(): ListedProcess[] {
  const { pid: own, stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '', ...command]) => {
      return { pid: Number(pid), parent: Number(parent), state, command: command.join(' ') };
    })
    .filter(({ pid, state, command }) => pid !== own && !state.startsWith('Z') && !command.includes(ARCHIVER));
}

/**
 * Processes whose environment, command line or working folder names the folder, also those that a
 * service or its supervisor started during the stop. Only Linux shows them.
 */
function processesOf(folder: string): ListedProcess[] {
  const read = (readPart: () => string) => {
    try {
      return readPart();
    } catch {
      // It has ended, or belongs to another user, or the system has no such folder.
      return '';
    }
  };
  const names = (pid: number) =>
    [
      read(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
      read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
      read(() => readlinkSync(`/proc/${pid}/cwd`)),
    ].some((part) => part.includes(folder));
  return listProcesses().filter(({ pid }) => pid !== process.pid && names(pid));
}

const childrenOf = (parent: number) => listProcesses().filter((each) => each.parent === parent);
const isStopped = ({ state }: ListedProcess) => state.startsWith('T');

/** The stack has its folder in it. */
let folder = '';
let game: ChildProcess | undefined;
let stopping = new AbortController();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-gameday-'));
  vi.stubEnv('TMPDIR', folder);
  game = undefined;
  stopping = new AbortController();
});
// After a failed assertion the stack still runs.
afterEach(async () => {
  vi.unstubAllEnvs();
  stopping.abort();
  game?.kill('SIGKILL');
  await vi.waitFor(() => {
    const left = processesOf(folder);
    for (const { pid } of left) kill(pid);
    expect(left).toEqual([]);
  }, LIMITS);
  rmSync(folder, { recursive: true, force: true });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since.
  }
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a game day that gets %s while a worker hangs leaves no process',
  async (signal) => {
    game = spawn(process.execPath, [MAIN, '--only', 'worker', '--auto'], { stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(game, 'exit');
    let children: readonly ListedProcess[] = [];
    while (!children.some(isStopped)) {
      if (game.exitCode !== null) throw new Error('it ended before the fault');
      children = childrenOf(game.pid as number);
      await sleep(POLL_MS);
    }
    expect(children.length).toBeGreaterThan(9);
    expectAll(children);
    game.kill(signal);
    expect(await exited).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [130, null]);
    await untilEnded(children);
  },
);

test('a game day whose action fails ends the fault and stops its stack', async () => {
  const before = new Set(childrenOf(process.pid).map(({ pid }) => pid));
  let children: readonly ListedProcess[] = [];
  let found: readonly ListedProcess[] = [];
  const failing = SCENARIOS.filter(({ name }) => name === 'worker').map((scenario): typeof scenario => ({
    ...scenario,
    async begin(game) {
      const fault = await scenario.begin(game);
      return {
        ...fault,
        async repair() {
          children = childrenOf(process.pid).filter(({ pid }) => !before.has(pid));
          found = processesOf(folder);
          throw new Error('the action failed');
        },
      };
    },
  }));
  const { signal } = stopping;
  await expect(playGame(failing, { operator: autoOperator, print: () => undefined, signal })).rejects.toThrow(
    'the action failed',
  );
  expect(children.filter(isStopped).length).toBeGreaterThan(0);
  expectAll(children, found);
  await untilEnded(children);
});

/** All of them are found by their folder, so that the search after the stop misses none. */
function expectAll(children: readonly ListedProcess[], found: readonly ListedProcess[] = processesOf(folder)): void {
  const pids = found.map(({ pid }) => pid);
  if (process.platform === 'linux') expect(children.filter(({ pid }) => !pids.includes(pid))).toEqual([]);
}

async function untilEnded(processes: readonly ListedProcess[]): Promise<void> {
  const left = () => listProcesses().filter(({ pid }) => processes.some((each) => each.pid === pid));
  await vi.waitFor(() => expect([...left(), ...processesOf(folder)]).toEqual([]), LIMITS);
}
