// Several Redis servers on loopback: each is restarted when it dies, can be stopped and started
// alone, and is queried without a client library.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePrivate } from '../data/private-files.ts';
import { LauncherError } from '../errors.ts';
import { findProgram } from '../processes/commands.ts';
import { LOOPBACK } from '../processes/ports.ts';
import { type SupervisedProcess, startedUnlessAborted, supervise } from '../processes/processes.ts';
import type { Report } from '../progress.ts';
import { repairRedis } from './after-power-cut.ts';
import { exchange, poll } from './probe.ts';
import { redisCommand } from './redis.ts';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
/** A server is given up after this many deaths within a minute. */
const FAILURE_LIMIT = 5;

export interface RedisServersOptions {
  /** Each server has a subfolder. */
  readonly dataDir: string;
  readonly password: string;
  readonly report: Report;
  /** Ends a start that is in progress. */
  readonly signal?: AbortSignal;
  /** Called when a server has died too often to be restarted. */
  readonly onFailure?: (error: LauncherError) => void;
  /**
   * Receives the process id of each server, with which a later start finds the processes that a
   * killed launcher left.
   */
  readonly onPid?: (name: string, pid: number | undefined) => void;
}

export interface RedisServer {
  readonly name: string;
  readonly port: number;
  /** Undefined while the server is down. */
  pid(): number | undefined;
  /** The number of restarts since `up`. */
  restarts(): number;
  /** Kills it with SIGKILL; it restarts with its port and its data. */
  kill(): void;
  /** Kills it with SIGKILL, and keeps it down until `up`. */
  down(): Promise<void>;
  /** Starts it again. */
  up(): Promise<void>;
  stop(): Promise<void>;
  /**
   * The answer to one command, without its type mark. Throws if the server answers with an error.
   */
  ask(...command: string[]): Promise<string>;
}

/** A server described by the lines of its configuration; lines common to all servers are added. */
export interface ServerPlan {
  readonly name: string;
  readonly port: number;
  readonly lines: readonly string[];
  readonly sentinel?: boolean;
}

/** The program, or an error that names the missing package. */
function redisProgram(): string {
  const program = findProgram(['redis-server', 'valkey-server']);
  if (program !== undefined) return program;
  throw new LauncherError('redis-server is not on PATH', 'Install Redis 7 or Valkey.');
}

/** Starts all servers, or none. */
export async function startServers(plans: readonly ServerPlan[], options: RedisServersOptions): Promise<RedisServer[]> {
  const program = redisProgram();
  const servers = plans.map((plan) => createServer(program, plan, options));
  try {
    await Promise.all(servers.map((server) => server.up()));
    return servers;
  } catch (error) {
    await stopServers(servers);
    throw error;
  }
}

export async function stopServers(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

function createServer(program: string, plan: ServerPlan, options: RedisServersOptions): RedisServer {
  const { name, port, sentinel = false } = plan;
  const { password, report } = options;
  const ask = (...parts: string[]) => askServer(port, password, parts);
  const file = join(options.dataDir, name, 'redis.conf');
  // Written once: Sentinels, and the servers that they manage, store their own state in it.
  writeConfiguration(file, plan, password);
  let child: SupervisedProcess | undefined;
  return {
    name,
    port,
    ask,
    pid: () => child?.pid(),
    restarts: () => child?.restarts() ?? 0,
    kill: () => child?.kill('SIGKILL'),
    async down() {
      const ending = child;
      child = undefined;
      ending?.kill('SIGKILL');
      await ending?.stop();
    },
    async up() {
      if (child !== undefined) return;
      const started = supervise({
        name,
        command: program,
        arguments: sentinel ? [file, '--sentinel'] : [file],
        environment: process.env,
        logFile: join(options.dataDir, 'log', `${name}.log`),
        report,
        untilReady: (signal) => poll(async () => (await ask('PING').catch(() => '')) === 'PONG', signal),
        readyTimeoutMs: START_TIMEOUT_MS,
        stopTimeoutMs: STOP_TIMEOUT_MS,
        failureLimit: FAILURE_LIMIT,
        ...(options.onFailure === undefined ? {} : { onGiveUp: options.onFailure }),
        onPid: (pid) => options.onPid?.(name, pid),
      });
      child = started;
      await startedUnlessAborted(started, options.signal);
    },
    async stop() {
      const ending = child;
      child = undefined;
      await ending?.stop();
    },
  };
}

function writeConfiguration(file: string, { port, lines, sentinel = false }: ServerPlan, password: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const all = [`bind ${LOOPBACK}`, `port ${port}`, `dir ${JSON.stringify(folder)}`, `requirepass ${password}`];
  if (!sentinel) {
    all.push(`masterauth ${password}`, 'appendonly yes', 'save ""', 'maxmemory-policy noeviction');
    // A replica's copy starts at once and does not wait for further replicas.
    all.push('repl-diskless-sync-delay 0');
    // All servers stop together. Otherwise a master would wait for its replica in vain, or write a
    // first snapshot just for it.
    all.push('shutdown-on-sigterm now force');
  }
  repairRedis(folder);
  writePrivate(file, `${[...all, 'daemonize no', ...lines].join('\n')}\n`);
}

/** Logs in, sends one command and returns its answer. */
async function askServer(port: number, password: string, parts: readonly string[]): Promise<string> {
  const text = redisCommand('AUTH', password) + redisCommand(...parts);
  const answers = await exchange({ host: LOOPBACK, port }, text, (answer) => answersOf(answer).length === 2);
  const [login = '', answer = ''] = answersOf(answers);
  for (const each of [login, answer]) if (each.startsWith('-')) throw new Error(each.slice(1));
  return answer.slice(1);
}

/** The complete answers with their type marks: lines, and texts after their length. */
function answersOf(text: string): string[] {
  const answers: string[] = [];
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n');
    if (end < 0) return answers;
    const line = rest.slice(0, end);
    const length = line.startsWith('$') ? Number(line.slice(1)) : -1;
    const last = length < 0 ? end : end + 2 + length;
    if (rest.length < last + 2) return answers;
    answers.push(length < 0 ? line : `$${rest.slice(end + 2, last)}`);
    rest = rest.slice(last + 2);
  }
}
