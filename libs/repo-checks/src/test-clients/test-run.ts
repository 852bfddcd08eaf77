// The frame of `npm run test:clients` and `npm run test:release`: arguments, the record of a success, a
// temporary folder, a stack, and the results. A failed step does not end the others.
// `--if-changed` stops if the tests succeeded for the same inputs before; `--quick` leaves out slow tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { proofOf } from '../check-api/proof.ts';
import type { ClientStack } from './client-test.ts';

/** `incomplete`: some tests could not run on this machine, and the others succeeded. */
export type Outcome = 'succeeded' | 'incomplete' | 'failed';

interface TestRun {
  /** Begins the name of the record and of the folder. */
  readonly name: string;
  /** Files and folders with all inputs, and the endings of the files in these folders that count. */
  readonly inputs: readonly string[];
  readonly suffixes: RegExp;
  /** Printed if `--if-changed` finds no change. */
  readonly unchanged: string;
  /** Why this machine cannot run any of the tests; null if it can. */
  readonly impossible?: string | null;
  /** Gets an empty folder. */
  test(folder: string, isQuick: boolean): Promise<Outcome>;
}

export const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Runs the tests, and sets the exit code if they fail. A complete run also counts as a quick one. */
export async function runTests({ name, inputs, suffixes, unchanged, impossible = null, test }: TestRun): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, 'if-changed': { type: 'boolean', default: false } },
  });
  const proofs = [`${name}-proven`, ...(values.quick ? [`quick-${name}-proven`] : [])].map((each) =>
    proofOf(each, inputs, suffixes),
  );
  if (impossible !== null) return print(impossible);
  if (values['if-changed'] && proofs.some(({ exists }) => exists)) return print(unchanged);
  const folder = mkdtempSync(join(tmpdir(), `taskgraph-${name}-`));
  try {
    const outcome = await test(folder, values.quick);
    if (outcome === 'succeeded') proofs.at(-1)?.save();
    if (outcome === 'failed') process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a stack with its own database for the work, and stops it. */
export async function onOwnStack<T>(work: (stack: ClientStack) => Promise<T>): Promise<T> {
  const stack = await startTestStack({ ownDatabase: true });
  try {
    const [url = ''] = stack.urls;
    return await work({ url, newToken: (email) => stack.token(email) });
  } finally {
    await stack.stop();
  }
}

/** Prints the result of a step and its time. Returns whether it succeeded. */
export async function attempt(name: string, step: () => Promise<string>): Promise<boolean> {
  const startMs = Date.now();
  const seconds = () => `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
  try {
    print(`${name}: ${await step()}, ${seconds()}`);
    return true;
  } catch (error) {
    print(`${name}: FAILED after ${seconds()}\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
