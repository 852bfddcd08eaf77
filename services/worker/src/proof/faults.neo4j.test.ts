// Each deliberate fault must be found by the reference model, within so many commands as a run of it has at most.
import { fileURLToPath } from 'node:url';
import type { Database } from '@taskgraph/graph-store/database';
import { faultyModule } from '@taskgraph/testkit/faults';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { forget } from '../cleaning.testing.ts';
import { openTestDatabase, warmUp } from '../harness.testing.ts';
import { makeFour, say } from './cast.testing.ts';
import { FAULTS } from './fault-table.testing.ts';
import { type Step, stepsOf } from './steps.testing.ts';

/** A fault must show within so many commands. */
const COMMANDS = 2_000;
const RUN = 200;
const VIEW_EVERY = 20;
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

let database: Database;
const found: Record<string, number> = {};
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
  const lines = Object.entries(found).map(([name, commands]) => `${String(commands).padStart(5)}  ${name}`);
  say(`commands until a fault was found:\n${lines.join('\n')}`);
});

interface Found {
  readonly commands: number;
  /** The run up to the difference. */
  readonly steps: readonly Step[];
}

/** Runs the steps on what is imported now, faulty or not. Gives the step of the difference, or null. */
async function differsAt(steps: readonly Step[], onCommand?: () => void): Promise<number | null> {
  const { startTestWorker: start } = await import('../harness.testing.ts');
  const { Difference, runSequence } = await import('./sequence.testing.ts');
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

/** What agreed until a difference showed; null where none did. */
async function find(): Promise<Found | null> {
  let commands = 0;
  for (let seed = 1; seed <= COMMANDS / RUN; seed++) {
    const [steps] = fc.sample(stepsOf(RUN), { seed, numRuns: 1 }) as [Step[]];
    const at = await differsAt(steps, () => void commands++);
    if (at !== null) return { commands, steps: steps.slice(0, at + 1) };
  }
  return null;
}

describe('[ACL1 BLK2 TRS3 HIS2] the model finds that', () => {
  test.each(Object.keys(FAULTS))(
    '%s',
    async (name) => {
      const fault = FAULTS[name] as (typeof FAULTS)[string];
      const file = `${REPOSITORY}${fault.file}`;
      vi.resetModules();
      vi.doMock(file, () => import(/* @vite-ignore */ faultyModule(REPOSITORY, fault)));
      try {
        const difference = await find();
        expect(difference).not.toBeNull();
        vi.doUnmock(file);
        vi.resetModules();
        // Without the fault the same run agrees: it is the fault that was found.
        expect(await differsAt((difference as Found).steps)).toBeNull();
        found[name] = (difference as Found).commands;
      } finally {
        vi.doUnmock(file);
      }
    },
    600_000,
  );
});
