// Plans the tasks of the reader, off the main thread. It has a copy of the fields that a plan needs,
// and answers changes of them with the times of all tasks in one array. Rules: PLAN1 to PLAN7.
import { type PlanNode, planOf } from '@taskgraph/domain/plan/plan';

/** A primary link. */
export interface PlanLink {
  readonly id: string;
  readonly source: string;
  readonly target: string;
}

/** What changed since the last request. An entity is in one list of its kind at most. */
export interface PlanChanges {
  readonly nodes: readonly PlanNode[];
  readonly removedNodes: readonly string[];
  readonly links: readonly PlanLink[];
  readonly removedLinks: readonly string[];
}

/** The numbers of a task in `times`: earliest start and finish, latest start and finish, slack. */
export const NUMBERS_A_TASK = 5;

export type PlanAnswer =
  /** The plan is the same as before. */
  | { readonly kind: 'same' }
  /** There is no plan: too many tasks, or links in a circle. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'plan';
      /** The tasks in the order of `times`; null if they are those of the last plan. */
      readonly ids: readonly string[] | null;
      readonly times: Float64Array<ArrayBuffer>;
      readonly makespan: number;
      readonly ready: readonly string[];
      readonly critical: readonly string[];
    };

export interface Planner {
  change(changes: PlanChanges): PlanAnswer;
}

/** Most nodes and primary links of a plan (PLAN6). */
const MOST_NODES = 20_000;
const MOST_LINKS = 200_000;

export function createPlanner(): Planner {
  const nodes = new Map<string, PlanNode>();
  const links = new Map<string, PlanLink>();
  let last: Extract<PlanAnswer, { kind: 'plan' }> | null = null;
  /** The tasks of the last plan, in order. */
  let ids: readonly string[] = [];

  function plan(): PlanAnswer {
    const planned =
      nodes.size > MOST_NODES || links.size > MOST_LINKS
        ? null
        : planOf({ nodes: [...nodes.values()], links: [...links.values()], calendar: null });
    if (planned === null) {
      last = null;
      ids = [];
      return { kind: 'none' };
    }
    const { makespan, critical, ready } = planned;
    const times = new Float64Array(planned.nodes.length * NUMBERS_A_TASK);
    planned.nodes.forEach(({ earliestStart, earliestFinish, latestStart, latestFinish, slack }, place) => {
      times.set([earliestStart, earliestFinish, latestStart, latestFinish, slack], place * NUMBERS_A_TASK);
    });
    const order = planned.nodes.map(({ id }) => id);
    const hasSameTasks = last !== null && equal(order, ids);
    const isSame = hasSameTasks && last !== null && equal(times, last.times) && equal(ready, last.ready);
    if (isSame && equal(critical, last?.critical ?? [])) return { kind: 'same' };
    ids = order;
    const answer = { kind: 'plan', ids: hasSameTasks ? null : order, times, makespan, ready, critical } as const;
    // The page gets the buffer of the answer, so the comparison needs its own.
    last = { ...answer, times: times.slice() };
    return answer;
  }

  return {
    change(changes) {
      for (const id of changes.removedNodes) nodes.delete(id);
      for (const id of changes.removedLinks) links.delete(id);
      for (const node of changes.nodes) nodes.set(node.id, node);
      for (const link of changes.links) links.set(link.id, link);
      return plan();
    },
  };
}

function equal<T>(one: ArrayLike<T>, other: ArrayLike<T>): boolean {
  if (one.length !== other.length) return false;
  for (let place = 0; place < one.length; place++) if (one[place] !== other[place]) return false;
  return true;
}
