// Eight concurrent clients on two workers, compared with the reference model in the order of
// commits.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Step } from '@taskgraph/reference-model/random/step';
import { claimStepsOf, stepsOf } from '@taskgraph/reference-model/random/steps';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, startTestWorker, warmUp } from '../support/harness.ts';
import { findInconsistencies } from '../support/integrity-checker.ts';
import { runConcurrently } from './concurrent.ts';
import { makeFour, say } from './users.ts';

const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 300) / 2;
/** Commands of one run, which begins with an empty graph of four new users. */
const RUN = Math.min(400, COMMANDS);
/** The last commands of a failed run, which the report lists. */
const LINES = Number(process.env.MODEL_LINES ?? 100);
const SEED = Number(process.env.MODEL_SEED ?? 1);

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

const done = { commands: 0 };

async function agree(steps: readonly Step[]): Promise<void> {
  const users = await makeFour(database);
  const lines: string[] = [];
  const trace = (line: string) => void lines.push(line);
  const onCommand = () => void done.commands++;
  try {
    await runConcurrently(steps, { database, users, start: startTestWorker, onCommand, trace });
  } catch (error) {
    say(lines.slice(-LINES).join('\n'));
    throw error;
  }
}

test('[ACL7 BLK5 GEN8 GEN12 HIS2 HIS7 LNK4] concurrent commands of eight clients equal a serial execution', async () => {
  const numRuns = Math.max(1, Math.round(COMMANDS / RUN));
  // The order of commits differs between runs, so a failed run cannot be shrunk.
  await fc.assert(fc.asyncProperty(stepsOf(RUN), agree), { seed: SEED, numRuns, endOnFailure: true });
  say(`${done.commands} concurrent commands agreed with the model, seed ${SEED}`);
  expect(await findInconsistencies(database)).toEqual([]);
}, 86_400_000);

test('[CLAIM2 CLAIM3 CLAIM4] concurrent claims of eight clients equal a serial execution', async () => {
  const numRuns = Math.max(1, Math.round(COMMANDS / RUN / 2));
  await fc.assert(fc.asyncProperty(claimStepsOf(RUN), agree), { seed: SEED, numRuns, endOnFailure: true });
  say(`${done.commands} concurrent commands agreed with the model, seed ${SEED}`);
  expect(await findInconsistencies(database)).toEqual([]);
}, 86_400_000);
