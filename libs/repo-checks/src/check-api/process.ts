// Runs the programs of `npm run check:api` and captures their output.

import { spawnSync } from 'node:child_process';
import { definedFields } from '@taskgraph/wire/defined-fields';

export interface ProcessResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly output: string;
}

interface ProcessOptions {
  /** The standard input; empty if it is missing. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Sufficient to build a Go program on a busy machine. */
const LIMIT_MS = 15 * 60_000;
const LONGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

export function run(
  program: string,
  given: readonly string[],
  { cwd, input, env = {} }: ProcessOptions = {},
): ProcessResult {
  const { status, stdout, stderr, error } = spawnSync(program, given, {
    ...definedFields({ cwd, input }),
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: LONGEST_OUTPUT_BYTES,
    env: { ...process.env, ...env },
  });
  const output = [stdout, stderr, error === undefined ? '' : String(error)].filter(Boolean).join('\n');
  return { status: error === undefined ? status : null, stdout: stdout ?? '', output };
}

/** Returns the output. Throws if the program fails. */
export function must(program: string, given: readonly string[], options: ProcessOptions = {}): string {
  const { status, stdout, output } = run(program, given, options);
  if (status !== 0) throw new Error(`${program} ${given.join(' ')} ended with ${status}:\n${output}`);
  return stdout;
}

export function isThere(program: string, given: readonly string[]): boolean {
  return run(program, given).status === 0;
}
