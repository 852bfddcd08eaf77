// The pipeline in memory compared with the reference model: thousands of random commands, one by
// one and in groups.
import { commandOf, REGRESSIONS, type ScriptLine } from '@taskgraph/reference-model/random/regressions';
import { differences, formatSteps, shrinkSteps } from '@taskgraph/reference-model/random/shrinker';
import type { DrawnCommand, Step } from '@taskgraph/reference-model/random/step';
import { draw } from '@taskgraph/reference-model/random/steps';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import { describe, expect, test } from 'vitest';
import { createComparedRun, differsAt, randomSteps, randomStepsWithClaims } from './support/memory-run.ts';
import { FOUR, THREE_AND_BOT } from './support/memory-subject.ts';

/** Most commands of a group. */
const TOGETHER = 8;
async function reportOf(steps: readonly Step[], seed: number): Promise<string> {
  const cut = await shrinkSteps(steps, async (list) => (await differsAt(list))?.step ?? null);
  const found = await differsAt(cut);
  const { expected, actual } = (found?.cause ?? {}) as { expected?: unknown; actual?: unknown };
  return [`seed ${seed} differs:`, formatSteps(cut), ...differences(expected, actual).slice(0, 60)].join('\n');
}

const FROM = Number(process.env.MODEL_SEED ?? 1);
const SEEDS = Array.from({ length: runs(4) }, (_, at) => FROM + at);

test.each(SEEDS)(
  '[ACL1 BLK1 BLK2 BLK3 BLK5 BLK9 BLK10 LNK4 LNK5 LNK6 LNK10 TRS1 TRS3 TRS5 HIS2 EVT1] run %i of random commands answers, pushes and stores the same as the model',
  async (seed) => {
    const steps = randomSteps(seed);
    const found = await differsAt(steps);
    if (found !== null) expect.fail(await reportOf(steps.slice(0, found.step + 1), seed));
  },
  timeFor(60_000),
);

test.each(SEEDS)(
  '[CLAIM1 CLAIM2 CLAIM3 CLAIM4 HIS2] run %i of claims, what ends them, and undos answers, pushes and stores the same as the model',
  async (seed) => {
    const steps = randomStepsWithClaims(seed);
    const found = await differsAt(steps);
    if (found !== null) expect.fail(await reportOf(steps.slice(0, found.step + 1), seed));
  },
  timeFor(60_000),
);

test.each(SEEDS)(
  '[BOT1] run %i with a bot among the users answers, pushes and stores the same as the model',
  async (seed) => {
    const found = await differsAt(randomSteps(seed), seed % 2 === 0, THREE_AND_BOT);
    expect(found?.cause ?? found?.message ?? null).toBe(null);
  },
  timeFor(60_000),
);

test.each(SEEDS)(
  '[GEN12 BLK5 LNK4 LNK5 TRS3] commands of run %i in groups have the results of separate commands',
  (seed) => {
    const { clock, comparison, subject } = createComparedRun();
    const steps = randomSteps(seed);
    for (let from = 0; from < steps.length; from += TOGETHER) {
      clock.ms += 1_000;
      comparison.wait(new Date(clock.ms).toISOString());
      const known = { ...comparison, users: FOUR };
      const group = steps
        .slice(from, from + TOGETHER)
        .map((step, at) => draw(step, { ...known, serial: from + at }))
        .filter((command): command is DrawnCommand => command.kind === 'command');
      subject.slices.length = 0;
      subject.control.length = 0;
      const replies = subject.sendTogether(group);
      comparison.compareGroup(
        group.map((command, at) => ({ command, reply: replies[at] as (typeof replies)[number] })),
        { now: comparison.now, slices: subject.slices, control: subject.control },
      );
      comparison.keyed.push(...group.filter(({ key }) => key !== null));
      subject.compareState(comparison.state);
    }
  },
  timeFor(60_000),
);

describe('[ACL7 BLK3 BLK5 BLK9 EVT2 HIS2 HIS7 LNK3 LNK7 TRS2 TRS3 TRS5] regressions in memory', () => {
  test.each(Object.keys(REGRESSIONS))('%s', async (name) => {
    const { clock, comparison, subject } = createComparedRun();
    for (const line of REGRESSIONS[name] as readonly ScriptLine[]) {
      clock.ms++;
      comparison.wait(new Date(clock.ms).toISOString());
      await comparison.perform(subject, commandOf(line, comparison));
      subject.compareState(comparison.state);
    }
  });
});
