// The reference model must detect each mutant within the length of a run.
import { fileURLToPath } from 'node:url';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Step } from '@taskgraph/reference-model/random/step';
import { stepsOf } from '@taskgraph/reference-model/random/steps';
import type { ModelUser } from '@taskgraph/reference-model/state';
import { faultyModule } from '@taskgraph/testkit/faults';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { forget } from '../support/cleanup.ts';
import { openTestDatabase, warmUp } from '../support/harness.ts';
import { MUTANTS } from './mutants.ts';
import { makeFour, say } from './users.ts';

/** A fault must show within this number of commands, over all runs from the first. */
const COMMANDS = 2_000;
/**
 * Set by `npm run test:model -- --only mutants`: starts with the first run instead of the run that
 * is known to detect the fault.
 */
const FROM_FIRST = process.env.MODEL_FAULTS === 'all';
/** Mutants of `npm test`; `npm run test:nightly` uses all. */
const TRIED = FROM_FIRST ? Object.keys(MUTANTS).length : Number(process.env.MODEL_MUTANTS ?? 1);
const RUN = 200;
const VIEW_EVERY = 20;
const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

let database: Database;
const found: Record<string, DetectedFault> = {};
const users: ModelUser[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(async () => {
  await forget(
    database,
    users.map(({ email }) => email),
  );
  await database.close();
  const lines = Object.entries(found).map(([name, { commands, seed }]) => {
    return `${String(commands).padStart(5)}  ${name}, by the run of seed ${seed}`;
  });
  say(`commands until a fault was found, ${FROM_FIRST ? 'all runs' : 'in that run'}:\n${lines.join('\n')}`);
});

interface DetectedFault {
  readonly seed: number;
  readonly commands: number;
  /** The run up to the difference. */
  readonly steps: readonly Step[];
}

/**
 * Runs the steps on the imported modules, faulty or not. Returns the step of the difference, or
 * null.
 */
async function differsAt(steps: readonly Step[], onCommand?: () => void): Promise<number | null> {
  const { startTestWorker: start } = await import('../support/harness.ts');
  const { Difference } = await import('@taskgraph/reference-model/comparison/sequence');
  const { runSequence } = await import('./sequence.ts');
  const four = await makeFour(database);
  users.push(...four);
  try {
    await runSequence(steps, { database, users: four, start, viewEvery: VIEW_EVERY, ...(onCommand && { onCommand }) });
    return null;
  } catch (error) {
    if (error instanceof Difference) return error.step;
    throw error;
  }
}

/**
 * The number of equal commands before a difference, over the runs of a range of seeds; null without
 * a difference.
 */
async function find(from: number, to: number): Promise<DetectedFault | null> {
  let commands = 0;
  for (let seed = from; seed <= to; seed++) {
    const [steps] = fc.sample(stepsOf(RUN), { seed, numRuns: 1 }) as [Step[]];
    const at = await differsAt(steps, () => void commands++);
    if (at !== null) return { seed, commands, steps: steps.slice(0, at + 1) };
  }
  return null;
}

describe('[ACL1 BLK2 TRS3 HIS2] the model detects that', () => {
  test.each(Object.keys(MUTANTS).slice(0, TRIED))(
    '%s',
    async (name) => {
      const { seed, ...fault } = MUTANTS[name] as (typeof MUTANTS)[string];
      const file = `${REPOSITORY}${fault.file}`;
      vi.resetModules();
      vi.doMock(file, () => import(/* @vite-ignore */ faultyModule(REPOSITORY, fault)));
      try {
        const difference = await find(FROM_FIRST ? 1 : seed, FROM_FIRST ? COMMANDS / RUN : seed);
        expect(difference).not.toBeNull();
        vi.doUnmock(file);
        vi.resetModules();
        // The same run without the fault shows no difference, so the difference is the fault's.
        expect(await differsAt((difference as DetectedFault).steps)).toBeNull();
        found[name] = difference as DetectedFault;
      } finally {
        // Later files share the modules of this process.
        vi.doUnmock(file);
        vi.resetModules();
      }
    },
    600_000,
  );
});
