// Plans a statement that exceeded its time. A server that has just started, or whose schema has
// changed, has no plans. Planning counts as time of the transaction and is lost when that ends, so
// retries alone would start over, and occupy the server for minutes.
import { failureOf, StatementNotPlanned } from './failures.ts';

export interface StatementPlanner {
  /**
   * Executes a statement. If its plan is in progress, waits for that first, and throws StatementNotPlanned if it takes
   * longer than a transaction may. Throws the error of `execute`.
   */
  run<T>(statement: string, plan: Plan, execute: () => Promise<T>): Promise<T>;
  /** Plans a statement after this failure, if it has exceeded its time. */
  afterFailure(error: unknown, statement: string, plan: Plan): void;
}

type Plan = () => Promise<unknown>;

interface Planning {
  readonly ended: Promise<void>;
  hasStarted: boolean;
}

interface StatementPlannerOptions {
  /** How long an execution waits. Default: as long as a transaction may take. */
  readonly waitMs?: number;
  /** After which the next statement is planned, although this one is not. */
  readonly planMs: number;
}

/** Statements that wait to be planned. Further ones are only retried. */
const MOST_WAITING = 200;
const WAIT_MS = 3_000;

/** Plans one statement at a time, since plans in progress slow each other down. */
export function createStatementPlanner({ waitMs = WAIT_MS, planMs }: StatementPlannerOptions): StatementPlanner {
  const inProgress = new Map<string, Planning>();
  let last: Promise<void> = Promise.resolve();

  const startPlanning = (statement: string, plan: Plan): void => {
    if (inProgress.has(statement) || inProgress.size >= MOST_WAITING) return;
    const planning = {
      hasStarted: false,
      // After a failure the next execution shows whether there is a plan.
      ended: last.then(async () => {
        planning.hasStarted = true;
        await endedWithin(plan(), planMs);
        inProgress.delete(statement);
      }),
    };
    last = planning.ended;
    inProgress.set(statement, planning);
  };

  const afterFailure: StatementPlanner['afterFailure'] = (error, statement, plan) => {
    if (failureOf(error) === 'slow') startPlanning(statement, plan);
  };

  return {
    afterFailure,
    async run(statement, plan, execute) {
      const planning = inProgress.get(statement);
      if (planning !== undefined && !(await endedWithin(planning.ended, waitMs)) && planning.hasStarted)
        throw new StatementNotPlanned();
      try {
        return await execute();
      } catch (error) {
        afterFailure(error, statement, plan);
        throw error;
      }
    },
  };
}

/** Whether work ends within this time, also by a failure. */
async function endedWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => true,
      ),
      limit,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
