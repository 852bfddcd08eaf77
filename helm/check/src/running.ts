// Runs a program to its end and gives what it said, or ends one that goes on.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 20_000;

/** Resolves with the outcome, whatever it is; throws where the program can't be started or does not end in time. */
export function run(command: string, given: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const child = spawn(command, given, {
      cwd: options.directory,
      env: { ...process.env, ...options.environment },
      // In place of `timeout`, whose timer outlives a program that can't be started, and keeps this process from ending.
      signal: AbortSignal.timeout(timeoutMs),
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const said = () => ({ stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    child.on('error', (cause) => {
      const why = cause.name === 'AbortError' ? `did not end within ${timeoutMs} ms` : 'could not be started';
      reject(new Error(`${command} ${given[0]} ${why}\n${said().stderr}`, { cause }));
    });
    child.on('close', (code, signal) => {
      const outcome = said();
      if (code === null) reject(new Error(`${command} ${given[0]} was ended by ${signal}\n${outcome.stderr}`));
      else resolve({ code, ...outcome });
    });
    // A program that reads nothing may be gone before its input is written; what matters is how it ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

/** The same, and throws where the program fails. Gives its stdout. */
export async function must(command: string, given: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, given, options);
  if (code !== 0) throw new Error(`${command} ${given.join(' ')} ended with ${code}\n${stderr}${stdout}`);
  return stdout;
}

/** Whether a program is there to be run. */
export async function isThere(command: string, given: readonly string[]): Promise<boolean> {
  try {
    return (await run(command, given)).code === 0;
  } catch {
    return false;
  }
}

/** Ends a program, gently at first. Resolves when it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}
