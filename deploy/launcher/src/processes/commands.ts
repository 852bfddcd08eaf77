// Finds programs and runs short commands to completion; processes.ts supervises long-running ones.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian installs servers in folders outside an ordinary user's PATH. */
const MORE_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

const OUTPUT_LIMIT = 256 * 1024;

export interface CommandOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly directory?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Allows the command to ask for a password on the terminal. */
  readonly interactive?: boolean;
  readonly onLine?: (line: string) => void;
  readonly onPid?: (pid: number) => void;
  /**
   * If set, an abort kills the command and throws after its exit. Otherwise an abort sends SIGTERM
   * and does not wait.
   */
  readonly killed?: boolean;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  /** The last part of both streams, in order of arrival. */
  readonly output: string;
}

/** The full path of the first of these programs on PATH, or in the folders of servers. */
export function findProgram(names: readonly string[], path = process.env.PATH ?? ''): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...MORE_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Runs a command to completion. Throws only if the command could not start or was aborted. */
export async function runCommand(
  command: string,
  commandArguments: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const limit = limitOf(options);
  const child = spawn(command, commandArguments, {
    cwd: options.directory,
    env: options.environment ?? process.env,
    stdio: [options.interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    signal: limit.signal,
    killSignal: options.killed ? 'SIGKILL' : 'SIGTERM',
  });
  if (child.pid !== undefined) options.onPid?.(child.pid);
  const collected = collect(child, options.onLine);
  const code = await new Promise<number>((resolve, reject) => {
    let failure: Error | undefined;
    child.once('error', (error) => {
      if (options.killed && child.pid !== undefined) failure = error;
      else reject(error);
    });
    child.once('close', (exitCode) => (failure === undefined ? resolve(exitCode ?? 1) : reject(failure)));
  }).finally(limit.clear);
  return { code, stdout: collected.stdout(), output: collected.output() };
}

/**
 * Aborts with the given signal, or after the time limit. On Node 20 a signal of `AbortSignal.any` may be left
 * waiting for ever, since its time limit is collected as garbage (nodejs/node#57736).
 */
function limitOf({ signal, timeoutMs }: CommandOptions) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const late = () => controller.abort(new DOMException('The command did not end in time', 'TimeoutError'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const clear = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, clear };
}

function collect(child: ChildProcess, onLine: ((line: string) => void) | undefined) {
  let stdout = '';
  let output = '';
  let unfinished = '';
  const take = (chunk: string) => {
    output = (output + chunk).slice(-OUTPUT_LIMIT);
    if (onLine === undefined) return;
    const lines = (unfinished + chunk).split('\n');
    unfinished = (lines.pop() ?? '').slice(-OUTPUT_LIMIT);
    for (const line of lines) onLine(line);
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout = (stdout + chunk).slice(-OUTPUT_LIMIT);
    take(chunk);
  });
  child.stderr?.setEncoding('utf8').on('data', take);
  return { stdout: () => stdout, output: () => output };
}

export function lastLines(text: string, count = 15): string[] {
  return text.trimEnd().split('\n').slice(-count);
}
