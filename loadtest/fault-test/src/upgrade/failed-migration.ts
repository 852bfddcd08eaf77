// A migration that fails in the middle: the previous release continues to serve, and this one does not
// start.
import { describeFailure } from '@taskgraph/launcher/errors';
import type { TestStack } from '@taskgraph/testkit/stack/stack';
import { runMigration, stepsOf, violateConstraint } from './migration.ts';
import type { Release } from './upgrade-stack.ts';

export interface MigrationFailure {
  /** The step that failed. */
  readonly step: number;
  /** The steps that were complete before it. */
  readonly done: readonly number[];
  /** What the migration wrote last. */
  readonly message: string;
}

interface FailureOptions {
  readonly release: Release;
  readonly note: (line: string) => void;
  /** Waits until the clients have had commands answered. */
  progress(): Promise<void>;
}

/** Services that check the schema of the database when they start. */
const SCHEMA_CHECKERS = ['worker', 'jobs'] as const;
const REFUSAL = /the database is not migrated/;

/** Returns null if the migration has no step that can be made to fail. Throws if the failure has another effect. */
export async function failMigration(
  stack: TestStack,
  { release, note, progress }: FailureOptions,
): Promise<MigrationFailure | null> {
  const { environment } = stack;
  const violation = await violateConstraint(environment);
  if (violation === null) return null;
  note(`migrating a database that violates the constraint of step ${violation.step}`);
  const before = await stepsOf(environment);
  const { code, output } = await runMigration(release.scriptOf('admin', 'migrate.js'), environment);
  const message = output.trimEnd().split('\n').at(-1) ?? '';
  if (code === 0) throw new Error(`the migration succeeded although ${violation.label} violates its constraint`);
  if (!output.includes(`label \`${violation.label}\``)) throw new Error(`the migration failed otherwise:\n${output}`);
  const steps = await stepsOf(environment);
  if (steps.includes(violation.step)) throw new Error(`step ${violation.step} failed, and is recorded as complete`);
  await progress();
  for (const kind of SCHEMA_CHECKERS) {
    const refusal = await stack.add(kind, { scriptOf: release.scriptOf }).then(() => null, describeFailure);
    if (refusal === null)
      throw new Error(`a ${kind} service of the new release serves a database that is not migrated`);
    if (!REFUSAL.test(refusal)) throw new Error(`a ${kind} service ended for another reason: ${refusal}`);
  }
  await progress();
  await violation.repair();
  return { step: violation.step, done: steps.filter((step) => !before.includes(step)), message };
}
