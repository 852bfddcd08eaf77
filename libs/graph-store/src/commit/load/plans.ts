// Which statements of a load are used: the largest from the start on, and each smaller one once it is asked for often enough to be worth its plan.
import { LOAD_STATEMENTS, type LoadStatement, statementFor } from './statement.ts';
import type { LoadKind } from './table.ts';

/** A statement is planned once it would have been the best so often. To plan it costs what it spares a few hundred groups. */
const WANTED = 100;

export interface LoadPlans {
  /** The smallest statement that has these parts and is planned, while a better one is planned aside. */
  statementFor(kinds: readonly LoadKind[]): LoadStatement;
  /** Forgets all plans but the largest: the database is a new process. */
  forget(): void;
}

interface Options {
  /** Has the database plan a statement. */
  readonly plan: (statement: LoadStatement) => Promise<void>;
  /** Told why a statement could not be planned; it is tried again later. */
  readonly onFailure: (error: unknown) => void;
}

/** The largest statement must have been planned (planGroups): nobody may wait for that. One other at a time is planned. */
export function createLoadPlans({ plan, onFailure }: Options): LoadPlans {
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
