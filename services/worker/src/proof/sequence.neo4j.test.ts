// The service against the reference model, one command after another: `npm run test:model -- --commands N --seed S` runs more of it.
import type { Database } from '@taskgraph/graph-store/database';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findInconsistencies } from '../checker.testing.ts';
import { makeUser, openTestDatabase, startTestWorker } from '../harness.testing.ts';
import { cutDown, written } from './cutting.testing.ts';
import { Difference, runSequence, type SequenceOptions } from './sequence.testing.ts';
import { type Step, stepsOf } from './steps.testing.ts';

/** Commands of one run, which begins with an empty graph of four new users. */
const RUN = 200;
const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 5_000);
const SEED = Number(process.env.MODEL_SEED ?? 1);
const VIEW_EVERY = Number(process.env.MODEL_VIEW_EVERY ?? 12);

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const done = { commands: 0 };

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function agree(steps: readonly Step[], options: Partial<SequenceOptions> = {}): Promise<void> {
  const users: ModelUser[] = await Promise.all(['ada', 'bob', 'cy', 'dee'].map((name) => makeUser(database, name)));
  const onCommand = () => void done.commands++;
  await runSequence(steps, { database, users, start: startTestWorker, viewEvery: VIEW_EVERY, onCommand, ...options });
}

async function failsAt(steps: readonly Step[]): Promise<number | null> {
  try {
    await agree(steps, { viewEvery: Number.POSITIVE_INFINITY });
    return null;
  } catch (error) {
    if (error instanceof Difference) return error.step;
    throw error;
  }
}

test('[ACL1 BLK2 LNK6 TRS3 HIS2 EVT1] every answer, view and push is what the reference model says', async () => {
  for (let run = 0; run < Math.max(1, Math.round(COMMANDS / RUN)); run++) {
    const [steps] = fc.sample(stepsOf(RUN), { seed: SEED + run, numRuns: 1 }) as [Step[]];
    const at = await agree(steps).then(
      () => null,
      (error: unknown) => (error instanceof Difference ? error : Promise.reject(error)),
    );
    if (at === null) continue;
    const cut = await cutDown(steps.slice(0, at.step + 1), failsAt);
    say(`seed ${SEED + run} differs; so do these steps:\n${written(cut)}`);
    await agree(cut, { viewEvery: Number.POSITIVE_INFINITY, trace: say });
    throw at.cause;
  }
  say(`${done.commands} commands agreed with the model, seed ${SEED}`);
  expect(await findInconsistencies(database)).toEqual([]);
}, 86_400_000);
