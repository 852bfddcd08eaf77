// A run of random steps in memory and in the reference model.
import { Comparison } from '@taskgraph/reference-model/comparison/comparison';
import { Difference, followSteps } from '@taskgraph/reference-model/comparison/sequence';
import type { Step } from '@taskgraph/reference-model/random/step';
import { claimStepsOf, intermediateStepsOf, stepsOf } from '@taskgraph/reference-model/random/steps';
import type { ModelUser } from '@taskgraph/reference-model/state';
import fc from 'fast-check';
import { FOUR, startInMemory } from './memory-subject.ts';

/** Steps of a run, which begins with an empty graph. */
const RUN = 200;
/** The whole state is compared after this many steps. */
const STATE_EVERY = 20;
const START_MS = Date.UTC(2030, 0, 1);

/** The steps of the run with this seed. */
export function randomSteps(seed: number): Step[] {
  return (fc.sample(stepsOf(RUN), { seed, numRuns: 1 }) as [Step[]])[0];
}

/**
 * The steps of the run with this seed, with composites that set fields several times, and their
 * undos.
 */
export function randomStepsWithRepeats(seed: number): Step[] {
  return (fc.sample(intermediateStepsOf(RUN), { seed, numRuns: 1 }) as [Step[]])[0];
}

/** The steps of the run with this seed, with claims and what ends them. */
export function randomStepsWithClaims(seed: number): Step[] {
  return (fc.sample(claimStepsOf(RUN), { seed, numRuns: 1 }) as [Step[]])[0];
}

/** An empty graph of these users, in memory and in the model. */
export function createComparedRun(users: readonly ModelUser[] = FOUR) {
  const clock = { ms: START_MS };
  const comparison = new Comparison(users);
  comparison.queues = true;
  return { clock, comparison, subject: startInMemory(users, clock) };
}

/** The step at which memory and the model differ, or null. */
export async function differsAt(
  steps: readonly Step[],
  composites = false,
  users: readonly ModelUser[] = FOUR,
): Promise<Difference | null> {
  const { clock, comparison, subject } = createComparedRun(users);
  comparison.composites = composites;
  const onStep = (index: number) => {
    if ((index + 1) % STATE_EVERY === 0) subject.compareState(comparison.state);
  };
  return await followSteps(steps, { clock, comparison, subject, onStep }).then(
    () => null,
    (error: unknown) => (error instanceof Difference ? error : Promise.reject(error)),
  );
}
