// The reference model must find each deliberate fault in the rules, in memory.
import { fileURLToPath } from 'node:url';
import { type KnownMutant, RULE_MUTANTS } from '@taskgraph/reference-model/mutants';
import type { Step } from '@taskgraph/reference-model/random/step';
import { faultyModule } from '@taskgraph/testkit/faults';
import { beforeAll, describe, expect, test, vi } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** A fault must show within this many runs of 200 commands. */
const RUNS = 10;
/**
 * `npm run test:model -- --only mutants` makes every run from the first, not only the known one.
 */
const FROM_FIRST = process.env.MODEL_FAULTS === 'all';
/** A usual run tries every third mutant, including each kind; `npm run test:nightly` tries all. */
const TRIED = Object.entries(RULE_MUTANTS).filter((_, index) => FROM_FIRST || index % 3 === 0);

/** Imports the modules of a run, with or without a fault. */
async function load() {
  const { differsAt, randomSteps, randomStepsWithClaims, randomStepsWithRepeats } = await import(
    './support/memory-run.ts'
  );
  const { dryRunDiffersAt } = await import('./support/dry-runs.ts');
  return {
    randomSteps(seed: number, kind: KnownMutant['kind']) {
      if (kind === 'claims') return randomStepsWithClaims(seed);
      return kind === 'intermediate values' ? randomStepsWithRepeats(seed) : randomSteps(seed);
    },
    differsAt: (steps: readonly Step[], kind: KnownMutant['kind']) =>
      kind === 'dry runs' ? dryRunDiffersAt(steps) : differsAt(steps, kind !== undefined && kind !== 'claims'),
  };
}

let faultless: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  faultless = await load();
}, 60_000);

/**
 * The first seed whose run differs, with the steps up to the difference; null if all runs agree.
 */
async function find(from: number, to: number, kind: KnownMutant['kind']) {
  // Each fault needs fresh modules.
  vi.resetModules();
  const { differsAt, randomSteps } = await load();
  for (let seed = from; seed <= to; seed++) {
    const steps = randomSteps(seed, kind);
    const difference = await differsAt(steps, kind);
    if (difference !== null) return { seed, steps: steps.slice(0, difference.step + 1) };
  }
  return null;
}

describe('[ACL1 ACL7 BAT2 BAT5 BLK3 BLK11 CLAIM1 CLAIM2 CLAIM3 DRY1 DRY3 LNK6 LNK9 TRS3 HIS2 HIS10] the model finds that', () => {
  test.each(TRIED)(
    '%s',
    async (_name, { seed, kind, ...fault }: KnownMutant) => {
      const file = `${REPOSITORY}${fault.file}`;
      vi.doMock(file, () => import(/* @vite-ignore */ faultyModule(REPOSITORY, fault)));
      try {
        const found = FROM_FIRST ? await find(1, RUNS, kind) : await find(seed, seed, kind);
        expect(found?.seed).toBe(seed);
        // Without the fault the same run agrees.
        expect(await faultless.differsAt(found?.steps ?? [], kind)).toBeNull();
      } finally {
        vi.doUnmock(file);
      }
    },
    60_000,
  );
});
