// A stack in its own processes, as `npm start` runs it, for tests that kill all of it at once or
// use its commands.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import type { StackFile } from '@taskgraph/launcher/data/data-directory';

export interface LaunchedStack {
  readonly url: string;
  readonly token: string;
  /** As in `Stack`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Kills the launcher and all its processes without warning, and waits until they have ended. */
  killAll(): Promise<void>;
  /** Stops it as Ctrl-C does. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 240_000;
const GONE_LIMIT_MS = 10_000;
const POLL_MS = 50;

/**
 * Variables with which tests and developers point the services at other backends. This stack must
 * start its own.
 */
const NOT_INHERITED = /^(NEO4J_|NATS_|REDIS_|TASKGRAPH_(?!CACHE_DIR|NODE)|VITEST)/;

/** The environment of a command that a person would run for the stack in this folder. */
export function commandEnvironment(dataDir: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  return { ...Object.fromEntries(inherited), DATA_DIR: dataDir };
}

/**
 * Starts a stack in this folder, which may contain the data of an earlier one, and waits until it
 * is ready.
 */
export async function launchStack(dataDir: string, port: number): Promise<LaunchedStack> {
  const child = spawn(process.execPath, [join(REPOSITORY, 'deploy', 'start.mjs'), '--no-sample'], {
    env: { ...commandEnvironment(dataDir), PORT: String(port), CI: '1', TASKGRAPH_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const output = await untilReady(child);
  const [, token = ''] = /^token (\S+)$/m.exec(output) ?? [];
  const [, url = ''] = /^ready (\S+)$/m.exec(output) ?? [];
  return {
    url,
    token,
    environment: stackFileOf(dataDir).environment,
    async killAll() {
      const pids = processesOf(dataDir);
      // The launcher first, because it would restart the others; and all at once, because they
      // would end in order.
      child.kill('SIGKILL');
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await exited;
      const deadline = Date.now() + GONE_LIMIT_MS;
      while (pids.some(isAlive)) {
        if (Date.now() > deadline) throw new Error('killed processes still run');
        await sleep(POLL_MS);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Collects the launcher's output until it is ready. Rejects with the output if the launcher ends
 * before or takes too long.
 */
function untilReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGTERM');
      fail('is not ready');
    }, START_LIMIT_MS);
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new Error(`the launcher ${what}:\n${output}`));
    };
    const take = (chunk: string) => {
      output += chunk;
      if (!/^ready \S+$/m.test(output)) return;
      clearTimeout(timer);
      resolve(output);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.once('exit', (code) => fail(`has ended with ${code}`));
  });
}

function processesOf(dataDir: string): number[] {
  return Object.values(stackFileOf(dataDir).processes).map(({ pid }) => pid);
}

function stackFileOf(dataDir: string): StackFile {
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file)) throw new Error(`no stack runs in ${dataDir}`);
  return JSON.parse(readFileSync(file, 'utf8')) as StackFile;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
