// Each deliberate fault must be found by the reference model, within so many commands as a run of it has at most.
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

/** A fault must show within so many commands, if all runs are made from the first on. */
const COMMANDS = 2_000;
/** `npm run test:model -- --only mutants`: every run from the first, in place of the one that is known to show the fault. */
const FROM_FIRST = process.env.MODEL_FAULTS === 'all';
/** Mutants that a usual run tries; `npm run test:nightly` tries them all. */
const TRIED = FROM_FIRST ? Object.keys(MUTANTS).length : Number(process.env.MODEL_MUTANTS ?? 1);
const RUN = 200;
const VIEW_EVERY = 20;
const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

let database: Database;
const found: Record<string, Found> = {};
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

interface Found {
  readonly seed: number;
  readonly commands: number;
  /** The run up to the difference. */
  readonly steps: readonly Step[];
}

/** Runs the steps on what is imported now, faulty or not. Gives the step of the difference, or null. */
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

/** The number of commands that agreed until a difference showed, in the runs from one seed to another; null where none did. */
async function find(from: number, to: number): Promise<Found | null> {
  let commands = 0;
  for (let seed = from; seed <= to; seed++) {
    const [steps] = fc.sample(stepsOf(RUN), { seed, numRuns: 1 }) as [Step[]];
    const at = await differsAt(steps, () => void commands++);
    if (at !== null) return { seed, commands, steps: steps.slice(0, at + 1) };
  }
  return null;
}

describe('[ACL1 BLK2 TRS3 HIS2] the model finds that', () => {
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
        // Without the fault the same run agrees: it is the fault that was found.
        expect(await differsAt((difference as Found).steps)).toBeNull();
        found[name] = difference as Found;
      } finally {
        // Later files share the modules of this process.
        vi.doUnmock(file);
        vi.resetModules();
      }
    },
    600_000,
  );
});
