// Compares the service with the reference model, one command after another. `npm run test:model --
// --commands N --seed S` runs longer.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { Difference } from '@taskgraph/reference-model/comparison/sequence';
import { differences, formatSteps, shrinkSteps } from '@taskgraph/reference-model/random/shrinker';
import type { Step } from '@taskgraph/reference-model/random/step';
import { claimStepsOf, stepsOf } from '@taskgraph/reference-model/random/steps';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, startTestWorker, warmUp } from '../support/harness.ts';
import { findInconsistencies } from '../support/integrity-checker.ts';
import { type RunOptions, runSequence } from './sequence.ts';
import { makeFour, makeThreeAndBot, say } from './users.ts';

const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 50);
/** Commands of one run, which begins with an empty graph of four new users. */
const RUN = Math.min(200, COMMANDS);
const SEED = Number(process.env.MODEL_SEED ?? 1);
/** Steps of runs with composites. `MODEL_COMPOSITES=200` makes them as long as the others. */
const COMPOSITES = Number(process.env.MODEL_COMPOSITES ?? 30);
/**
 * Concurrent runs, each with its own users: one is compared while the other waits for the database.
 */
const LANES = 2;
/** Shrinking a failed run takes time. Without it the test continues and reports more seeds. */
const CUT = process.env.MODEL_CUT !== '0';
const MAXIMUM_DIFFERING = 6;
/** The last commands of a failed run, which the report lists. */
const LINES = Number(process.env.MODEL_LINES ?? 30);
const VIEW_EVERY = Number(process.env.MODEL_VIEW_EVERY ?? 40);

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

const done = { commands: 0 };

/** Each run has new users. */
type Options = Partial<RunOptions> & {
  readonly makeUsers?: typeof makeFour;
  /** Draws the steps of a run of this length. */
  readonly drawSteps?: typeof stepsOf;
};

async function agree(
  steps: readonly Step[],
  { makeUsers = makeFour, drawSteps: _, ...options }: Options = {},
): Promise<void> {
  const users = await makeUsers(database);
  const onCommand = () => void done.commands++;
  await runSequence(steps, { database, users, start: startTestWorker, viewEvery: VIEW_EVERY, onCommand, ...options });
}

async function failsAt(steps: readonly Step[], options: Options): Promise<number | null> {
  try {
    await agree(steps, { ...options, viewEvery: Number.POSITIVE_INFINITY });
    return null;
  } catch (error) {
    if (error instanceof Difference) return error.step;
    throw error;
  }
}

/** The report of a failed run: its shrunk steps with their answers, or its last commands. */
async function reportOf(steps: readonly Step[], at: Difference, seed: number, options: Options): Promise<string> {
  const lines: string[] = [];
  const trace = (line: string) => void lines.push(line);
  const viewEvery = Number.POSITIVE_INFINITY;
  const cut = CUT ? await shrinkSteps(steps.slice(0, at.step + 1), (list) => failsAt(list, options)) : [];
  const shown = cut.length > 0 ? cut : steps.slice(0, at.step + 1);
  const again = await agree(shown, { ...options, viewEvery, trace }).then(
    () => at,
    (error: unknown) => error as Error,
  );
  const { message, expected, actual } = again.cause as { message: string; expected?: unknown; actual?: unknown };
  const { reader, what } = (expected ?? {}) as { reader?: string; what?: string };
  const view = `${reader ?? ''} ${what ?? ''}`;
  const where = differences(expected, actual).slice(0, 60).join('\n');
  return [`seed ${seed} differs:`, formatSteps(cut), ...lines.slice(-LINES), message, view, where].join('\n');
}

/** Runs random steps from these seeds. Fails if one of them differs. */
async function compareRuns(count: number, length: number, options: Options = {}): Promise<void> {
  const { drawSteps = stepsOf } = options;
  const differing: string[] = [];
  const seeds = Array.from({ length: count }, (_, run) => SEED + run).values();
  const isOver = () => differing.length >= (CUT ? 1 : MAXIMUM_DIFFERING);
  const lane = async () => {
    for (const seed of seeds) {
      if (isOver()) return;
      const [steps] = fc.sample(drawSteps(length), { seed, numRuns: 1 }) as [Step[]];
      const at = await agree(steps, options).then(
        () => null,
        (error: unknown) => (error instanceof Difference ? error : Promise.reject(error)),
      );
      if (at === null) continue;
      differing.push(await reportOf(steps, at, seed, options));
      say(differing.at(-1) as string);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  say(`${done.commands} commands agreed with the model, seed ${SEED}`);
  expect(differing).toEqual([]);
  expect(await findInconsistencies(database)).toEqual([]);
}

const RUNS = Math.max(1, Math.round(COMMANDS / RUN));

test("[ACL1 BLK2 LNK6 TRS3 HIS2 EVT1] every answer, view and push equals the reference model's", async () => {
  await compareRuns(RUNS, RUN);
}, 86_400_000);

test('[BOT1] runs with a bot among the users equal the model, and no answer or push reveals more to it', async () => {
  await compareRuns(RUNS, COMPOSITES, { makeUsers: makeThreeAndBot });
}, 86_400_000);

test("[BAT3 BAT4 BAT5 BAT6] composites equal the model's operations one by one", async () => {
  await compareRuns(RUNS, COMPOSITES, { composites: true });
}, 86_400_000);

test('[CLAIM1 CLAIM2 CLAIM3 CLAIM4] claims, what ends them, and undos equal the model, and no answer or push reveals more', async () => {
  await compareRuns(RUNS, COMPOSITES, { drawSteps: claimStepsOf });
}, 86_400_000);
