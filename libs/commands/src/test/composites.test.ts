// Random composites of four users in memory. The reference model runs their operations one by one.
import { differences, formatSteps, shrinkSteps } from '@taskgraph/reference-model/random/shrinker';
import type { Step } from '@taskgraph/reference-model/random/step';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import { expect, test } from 'vitest';
import { differsAt, randomSteps, randomStepsWithRepeats } from './support/memory-run.ts';

const FROM = Number(process.env.MODEL_SEED ?? 101);
const SEEDS = Array.from({ length: runs(3) }, (_, at) => FROM + at);
/** Steps of a run. A composite takes as long as several commands. */
const STEPS = 100;

async function reportOf(steps: readonly Step[], seed: number): Promise<string> {
  const cut = await shrinkSteps(steps, async (list) => (await differsAt(list, true))?.step ?? null);
  const found = await differsAt(cut, true);
  const { expected, actual } = (found?.cause ?? {}) as { expected?: unknown; actual?: unknown };
  return [`seed ${seed} differs:`, formatSteps(cut), ...differences(expected, actual).slice(0, 60)].join('\n');
}

test.each(SEEDS)(
  '[BAT2 BAT3 BAT4 BAT5 BAT6] run %i of random composites answers, pushes and stores the same as separate operations',
  async (seed) => {
    const steps = randomSteps(seed).slice(0, STEPS);
    const found = await differsAt(steps, true);
    if (found !== null) expect.fail(await reportOf(steps.slice(0, found.step + 1), seed));
  },
  timeFor(120_000),
);

test.each(SEEDS)(
  '[BAT5 HIS10 HIS2] run %i of composites with repeated changes is undone as in the model, also with obstacles to intermediate values',
  async (seed) => {
    const steps = randomStepsWithRepeats(seed).slice(0, STEPS);
    const found = await differsAt(steps, true);
    if (found !== null) expect.fail(await reportOf(steps.slice(0, found.step + 1), seed));
  },
  timeFor(120_000),
);

test.each([
  [5425, 39, 'a redo of an undo without changes is stored as a batch, like the undo'],
  [5227, 42, 'statuses set by its own operations do not prevent an undo'],
  [5420, 8, 'a restored link that first blocks then has one entry'],
  [5060, 53, 'a step of a redo restores a link in its stored form'],
  [20050, 117, 'a link that the batch left in the trash stays there after the undo'],
  [20316, 23, 'ending an expired publication of a branch still needs its level'],
  [200525, 86, 'conflicts of two grants on one node differ by their e-mails'],
  [9027, 24, 'readers of a trashed link do not see that it was restored as private and trashed again'],
  [20735, 35, 'readers who gain the ends of a trashed link do not see the link'],
])('[BAT4 BAT5 HIS3 HIS5] regression: run %i up to its step %i: %s', async (seed, steps) => {
  expect(await differsAt(randomSteps(seed).slice(0, steps), true)).toBeNull();
});
