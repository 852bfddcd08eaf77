// Runs a program to completion and returns its output, or starts a long-running one.
import { execa, type Options } from 'execa';

const TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 20_000;

export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type RunOptions = Pick<Options, 'cwd' | 'env' | 'input' | 'timeout'>;

const whole = { timeout: TIMEOUT_MS, stripFinalNewline: false, input: '' } as const;

/** Resolves with any outcome. Throws if the program cannot start or exceeds its time limit. */
export async function run(command: string, given: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  const outcome = await execa(command, given, { ...whole, ...options, reject: false, encoding: 'utf8' });
  if (outcome.exitCode === undefined) throw new Error(outcome.message);
  return { exitCode: outcome.exitCode, stdout: outcome.stdout, stderr: outcome.stderr };
}

/** Like `run`, but throws if the program fails. Returns its stdout. */
export async function must(command: string, given: readonly string[], options: RunOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await run(command, given, options);
  if (exitCode !== 0) throw new Error(`${command} ${given.join(' ')} ended with ${exitCode}\n${stderr}${stdout}`);
  return stdout;
}

/** Whether a program is installed. */
export async function isThere(command: string, given: readonly string[]): Promise<boolean> {
  return (await execa(command, given, { ...whole, reject: false })).exitCode === 0;
}

/** Starts a long-running program with its output in a log file. Ending it never rejects. */
export function start(command: string, given: readonly string[], directory: string, log: string) {
  const output = { file: log };
  return execa(command, given, {
    cwd: directory,
    stdin: 'ignore',
    stdout: output,
    stderr: output,
    buffer: false,
    reject: false,
    forceKillAfterDelay: STOP_TIMEOUT_MS,
  });
}

export type ProgramHandle = ReturnType<typeof start>;
