// The migration of this tree, run as the chart's hook runs it, and data that makes it fail.
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { readMigrations } from '@taskgraph/graph-store/migration/migrations';
import { runCommand } from '@taskgraph/launcher/processes/commands';

type Environment = Readonly<Record<string, string>>;

const LIMIT_MS = 600_000;

export interface MigrationRun {
  readonly code: number;
  readonly output: string;
}

export async function runMigration(script: string, environment: Environment): Promise<MigrationRun> {
  const { PATH = '' } = process.env;
  return runCommand(process.execPath, [script], { environment: { PATH, ...environment }, timeoutMs: LIMIT_MS });
}

/** A step with a constraint, on a label that releases before the step do not use. */
interface ConstraintStep {
  readonly step: number;
  readonly label: string;
}

/** Add a line for each new step that creates a constraint on a new label. */
const CONSTRAINT_STEPS: readonly ConstraintStep[] = [
  { step: 10, label: 'Calendar' },
  { step: 12, label: 'Webhook' },
  { step: 13, label: 'ImportSource' },
];

const DUPLICATE = 'duplicate of the upgrade test';

export interface Violation extends ConstraintStep {
  /** Deletes the data again. */
  repair(): Promise<void>;
}

/**
 * Adds two records that violate the constraint of the second step that this database lacks, so that the
 * migration breaks off in the middle. Null if there is no such step.
 */
export async function violateConstraint(environment: Environment): Promise<Violation | null> {
  return withDatabase(environment, async (database) => {
    const done = new Set(await readMigrations(database));
    const missing = CONSTRAINT_STEPS.filter(({ step }) => !done.has(step));
    const chosen = missing[1] ?? missing[0];
    if (chosen === undefined) return null;
    await database.write(`CREATE (:${chosen.label} {id: $id}), (:${chosen.label} {id: $id})`, { id: DUPLICATE });
    const repair = async () => {
      await withDatabase(environment, (again) =>
        again.write(`MATCH (n:${chosen.label} {id: $id}) DELETE n`, { id: DUPLICATE }),
      );
    };
    return { ...chosen, repair };
  });
}

/** The completed steps of a database. */
export function stepsOf(environment: Environment): Promise<number[]> {
  return withDatabase(environment, readMigrations);
}

async function withDatabase<T>(environment: Environment, work: (database: Database) => Promise<T>): Promise<T> {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  const database = openDatabase({ url, user, password });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
