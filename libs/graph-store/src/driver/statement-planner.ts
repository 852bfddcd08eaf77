// Plans a statement that exceeded its time. A server that has just started, or whose schema has
// changed, has no plans. Planning counts as time of the transaction and is lost when that ends, so
// retries alone would start over, and occupy the server for minutes.
import { failureOf, StatementNotPlanned } from './failures.ts';

export interface StatementPlanner {
  /**
   * Executes a statement, after its planning if that is in progress. Throws the error of `execute`.
   * Throws StatementNotPlanned if planning takes longer than a transaction may.
   */
  run<T>(statement: string, plan: () => Promise<unknown>, execute: () => Promise<T>): Promise<T>;
}

/** Statements that wait to be planned. Further ones are only retried. */
const MOST_WAITING = 200;
/** As long as a transaction may take by default. */
const WAIT_MS = 3_000;

/** Plans one statement at a time, since plans in progress slow each other down. */
export function createStatementPlanner(waitMs = WAIT_MS): StatementPlanner {
  const inProgress = new Map<string, Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  const startPlanning = (statement: string, plan: () => Promise<unknown>): void => {
    if (inProgress.has(statement) || inProgress.size >= MOST_WAITING) return;
    // After a failure the next execution shows whether there is a plan.
    const planning = last.then(plan).then(
      () => undefined,
      () => undefined,
    );
    last = planning;
    inProgress.set(statement, planning);
    void planning.then(() => inProgress.delete(statement));
  };

  return {
    async run(statement, plan, execute) {
      const planning = inProgress.get(statement);
      if (planning !== undefined) await within(planning, waitMs);
      try {
        return await execute();
      } catch (error) {
        if (failureOf(error) === 'slow') startPlanning(statement, plan);
        throw error;
      }
    },
  };
}

/** Throws if the planning does not end within this time. */
async function within(planning: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StatementNotPlanned()), ms);
  });
  try {
    await Promise.race([planning, limit]);
  } finally {
    clearTimeout(timer);
  }
}
