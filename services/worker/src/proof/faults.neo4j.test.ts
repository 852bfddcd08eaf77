// Each deliberate fault must be found by the reference model, within so many commands as a run of it has.
import { fileURLToPath } from 'node:url';
import type { Database } from '@taskgraph/graph-store/database';
import { faultyModule } from '@taskgraph/testkit/faults';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeUser, openTestDatabase, warmUp } from '../harness.testing.ts';
import { FAULTS } from './fault-table.testing.ts';
import { stepsOf } from './steps.testing.ts';

/** A fault must show within so many commands. */
const COMMANDS = 2_000;
const RUN = 200;
const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));

let database: Database;
const found: Record<string, number> = {};
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(async () => {
  await database.close();
  const lines = Object.entries(found).map(([name, commands]) => `${commands}\t${name}`);
  process.stdout.write(`commands until a fault was found:\n${lines.join('\n')}\n`);
});

describe('[ACL1 BLK2 TRS3 HIS2] a fault is found', () => {
  test.each(Object.keys(FAULTS))(
    '%s',
    async (name) => {
      const fault = FAULTS[name] as (typeof FAULTS)[string];
      const file = `${REPOSITORY}${fault.file}`;
      vi.resetModules();
      vi.doMock(file, () => import(/* @vite-ignore */ faultyModule(REPOSITORY, fault)));
      try {
        const { startTestWorker } = await import('../harness.testing.ts');
        const { runSequence } = await import('./sequence.testing.ts');
        let commands = 0;
        const agree = async (steps: Parameters<typeof runSequence>[0]) => {
          const users = await Promise.all(['ada', 'bob', 'cy', 'dee'].map((one) => makeUser(database, one)));
          const onCommand = () => void commands++;
          await runSequence(steps, { database, users, start: startTestWorker, viewEvery: 10, onCommand });
        };
        const runs = { seed: 1, numRuns: COMMANDS / RUN, endOnFailure: true };
        await expect(fc.assert(fc.asyncProperty(stepsOf(RUN), agree), runs)).rejects.toThrow();
        found[name] = commands;
      } finally {
        vi.doUnmock(file);
      }
    },
    600_000,
  );
});
