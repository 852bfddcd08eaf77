// Chooses the load statements in use: the largest from the start, and each smaller one once it is
// frequent enough to justify its plan.
import { LOAD_STATEMENTS, type LoadStatement, statementFor } from './statement.ts';
import type { LoadKind } from './table.ts';

/**
 * Plans a statement after this many groups for which it would be the best. A plan costs as much as
 * it saves in a few hundred groups.
 */
const WANTED = 100;

export interface LoadPlans {
  /** The smallest planned statement with these parts. A better one is planned in the background. */
  statementFor(kinds: readonly LoadKind[]): LoadStatement;
  /** Forgets all plans but the largest, for a restarted database. */
  forget(): void;
}

interface LoadPlanOptions {
  /** Makes the database plan a statement. */
  readonly plan: (statement: LoadStatement) => Promise<void>;
  /** Called with the reason of a failed plan, which is retried later. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Requires that the largest statement is planned (planGroups), because no group may wait for it. At
 * most one other is planned at a time.
 */
export function createLoadPlans({ plan, onFailure }: LoadPlanOptions): LoadPlans {
  const largest = LOAD_STATEMENTS.at(-1) as LoadStatement;
  let planned = new Set([largest]);
  let wanted = new Map<LoadStatement, number>();
  let planning = false;

  const planAside = async (statement: LoadStatement): Promise<void> => {
    const into = planned;
    planning = true;
    try {
      await plan(statement);
      into.add(statement);
    } catch (error) {
      wanted.delete(statement);
      onFailure(error);
    } finally {
      planning = false;
    }
  };

  return {
    statementFor(kinds) {
      const best = statementFor(kinds);
      if (planned.has(best)) return best;
      const times = (wanted.get(best) ?? 0) + 1;
      wanted.set(best, times);
      if (times >= WANTED && !planning) void planAside(best);
      return statementFor(kinds, planned);
    },
    forget() {
      planned = new Set([largest]);
      wanted = new Map();
    },
  };
}
