// Supervises a child process: waits until it is ready, restarts it when it dies, and stops it in
// order.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LauncherError } from '../errors.ts';
import type { Report } from '../progress.ts';
import { boundLog, type LogFile, openLog } from './log-files.ts';
import { continueGroup } from './stopped-groups.ts';

export const FIRST_DELAY_MS = 200;
export const LONGEST_DELAY_MS = 5_000;
const FAILURE_WINDOW_MS = 60_000;
const STEADY_MS = 30_000;
const LOG_CHECK_MS = 60_000;

export interface SupervisedOptions {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly report: Report;
  /**
   * Opens a message channel. The child sends `{ type: 'ready' }` over it, and detects its parent's
   * death when it closes.
   */
  readonly channel?: boolean;
  /**
   * Resolves when the child serves; polling must end when the signal fires. Default: the ready
   * message.
   */
  readonly untilReady?: (signal: AbortSignal) => Promise<void>;
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /**
   * The supervisor gives up after this many deaths within a minute. Unset, it restarts the child
   * for ever.
   */
  readonly failureLimit?: number;
  readonly onGiveUp?: (error: LauncherError) => void;
  readonly onPid?: (pid: number | undefined) => void;
  readonly onDeath?: OnDeath | undefined;
}

/**
 * Called when a child that was ready ends by itself. `reason` is for example `exit code 1` or
 * `signal SIGSEGV`; `tail` has the last lines of its log.
 */
export type OnDeath = (name: string, reason: string, tail: readonly string[]) => void;

export interface SupervisedProcess {
  readonly name: string;
  /** Resolves when the child is first ready; rejects if it dies before that. */
  readonly started: Promise<void>;
  pid(): number | undefined;
  /** The number of restarts after which the child became ready. */
  restarts(): number;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface ChildRun {
  readonly child: ChildProcess;
  readonly log: LogFile;
  /** Resolves with the reason of the end, such as `exit code 1`. */
  readonly ended: Promise<string>;
  readonly startedAt: number;
}

const living = new Set<ChildProcess>();

/** For a launcher that must end at once: sends the signal to every child and does not wait. */
export function signalAllChildren(signal: NodeJS.Signals): void {
  for (const child of living) signalChild(child, signal);
}

/** Also reaches a child that is stopped, as in a fault test. */
function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.kill(signal) && child.pid !== undefined) continueGroup(child.pid);
}

/**
 * The delay before the next start. It grows while a child keeps dying early; 0 means no delay
 * before.
 */
export function nextDelayMs(previousMs: number, ranMs: number): number {
  return ranMs >= STEADY_MS ? FIRST_DELAY_MS : Math.min(Math.max(previousMs * 2, FIRST_DELAY_MS), LONGEST_DELAY_MS);
}

export function supervise(options: SupervisedOptions): SupervisedProcess {
  const stopping = new AbortController();
  const first = deferred();
  const current: { running?: ChildRun; restarts: number } = { restarts: 0 };
  // A caller that stops a child before it is ready need not await `started`.
  first.promise.catch(() => {});
  const finished = superviseChild(options, current, first, stopping.signal);
  finished.catch((error) => first.reject(error));
  return {
    name: options.name,
    started: first.promise,
    pid: () => (current.running === undefined ? undefined : current.running.child.pid),
    restarts: () => current.restarts,
    kill: (signal) => {
      current.running?.child.kill(signal);
    },
    async stop() {
      stopping.abort();
      if (current.running !== undefined) await endRun(current.running, options.stopTimeoutMs);
      await finished.catch(() => {});
    },
  };
}

/**
 * Waits until the child is ready. The signal ends the wait and the child, but not a ready child.
 */
export async function startedUnlessAborted(child: SupervisedProcess, signal: AbortSignal | undefined): Promise<void> {
  const onAbort = () => void child.stop();
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await child.started;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function superviseChild(
  options: SupervisedOptions,
  current: { running?: ChildRun; restarts: number },
  first: Deferred,
  stopping: AbortSignal,
): Promise<void> {
  let delayMs = 0;
  let deaths: number[] = [];
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    const running = launch(options);
    current.running = running;
    const failure = await waitUntilReady(running, options, stopping);
    if (failure === undefined && !isFirst) current.restarts += 1;
    if (failure === undefined) first.resolve();
    else await endRun(running, options.stopTimeoutMs);
    const reason = await running.ended;
    delete current.running;
    if (failure === undefined && !stopping.aborted) options.onDeath?.(options.name, reason, running.log.tail());
    if (stopping.aborted) throw new LauncherError(`${options.name} was stopped`, 'Start again.');
    if (isFirst && failure !== undefined) throw failure;

    deaths = [...deaths.filter((at) => at > Date.now() - FAILURE_WINDOW_MS), Date.now()];
    if (options.failureLimit !== undefined && deaths.length >= options.failureLimit) {
      options.onGiveUp?.(diedError(options, running, `ended ${deaths.length} times within a minute (${reason})`));
      return;
    }
    delayMs = nextDelayMs(delayMs, Date.now() - running.startedAt);
    options.report.line(`${options.name} ended (${reason}), starting it again in ${delayMs} ms`);
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
  }
}

function launch(options: SupervisedOptions): ChildRun {
  const log = openLog(options.logFile);
  const child = spawn(options.command, options.arguments, {
    env: options.environment,
    stdio: ['ignore', log.descriptor, log.descriptor, ...(options.channel ? ['ipc' as const] : [])],
    // Its own process group: Ctrl-C on the terminal must reach only the launcher, which stops the
    // children in order.
    detached: true,
  });
  living.add(child);
  options.onPid?.(child.pid);
  const logCheck = setInterval(() => boundLog(options.logFile), LOG_CHECK_MS).unref();
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  }).finally(() => {
    clearInterval(logCheck);
    living.delete(child);
    options.onPid?.(undefined);
    log.close();
  });
  return { child, log, ended, startedAt: Date.now() };
}

/** Undefined if the child is ready, otherwise the reason why it will not be. */
async function waitUntilReady(
  running: ChildRun,
  options: SupervisedOptions,
  stopping: AbortSignal,
): Promise<Error | undefined> {
  const over = new AbortController();
  const late = sleep(options.readyTimeoutMs, 'late' as const, { signal: over.signal });
  const signal = AbortSignal.any([over.signal, stopping]);
  const ready = options.untilReady?.(signal) ?? readyMessage(running.child, signal);
  late.catch(() => {});
  ready.catch(() => {});
  try {
    const outcome = await Promise.race([ready, late, running.ended]);
    if (outcome === undefined) return undefined;
    return diedError(
      options,
      running,
      outcome === 'late' ? `was not ready in ${options.readyTimeoutMs / 1000} s` : `died at start (${outcome})`,
    );
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    over.abort();
  }
}

async function readyMessage(child: ChildProcess, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [message] = (await once(child, 'message', { signal })) as [unknown];
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready') return;
  }
}

async function endRun(running: ChildRun, timeoutMs: number): Promise<void> {
  signalChild(running.child, 'SIGTERM');
  const timer = setTimeout(() => running.child.kill('SIGKILL'), timeoutMs);
  await running.ended;
  clearTimeout(timer);
}

function diedError(options: SupervisedOptions, running: ChildRun, what: string): LauncherError {
  return new LauncherError(
    `${options.name} ${what}`,
    `Its log is ${options.logFile}; the last lines:`,
    running.log.tail(),
  );
}

function deferred(): Deferred {
  let resolve = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
