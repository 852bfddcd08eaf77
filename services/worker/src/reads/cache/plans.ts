// A cache of plans for the pages after the first: without it each page would read and plan the
// whole. Rules: PLAN1, PLAN6, EVT3.
//
// 1. A plan is valid for one state of the reader's access. That includes the numbers of the feeds,
//    which change with every planned entity.
// 2. A node's number of open blockers may change without a visible change. It is not part of the
//    plan, and each page reads it.
import { createHash } from 'node:crypto';
import type { Plan, Slip } from '@taskgraph/domain/plan/plan';
import { LRUCache } from 'lru-cache';

/** Rough sizes of a planned node, an entry of another list, and an empty plan, bytes. */
const NODE_BYTES = 280;
const LISTED_BYTES = 120;
const ENTRY_BYTES = 500;

/** A plan for one reader. */
export interface CachedPlan {
  readonly plan: Plan;
  readonly slip: Slip | null;
  /** By Blocked node: the number of its planned blockers. */
  readonly blockers: ReadonlyMap<string, number>;
  /** Whether the numbers of the reader's feeds change with every planned entity. */
  readonly isNumbered: boolean;
}

export interface PlanRequest {
  /** The reader and the request. */
  readonly key: readonly unknown[];
  /** The reader's access with the numbers of their feeds, read before the nodes. */
  readonly access: unknown;
}

export interface PlanCache {
  /**
   * Returns a plan under the same access, or computes one, and caches it if every change to it
   * would change a number. Rejects as `make` does.
   */
  get<T>(question: PlanRequest, make: () => Promise<CachedPlan | T>): Promise<CachedPlan | T>;
  bytes(): number;
}

/** A cache of this many bytes, which evicts the least recently used plans. 0 disables it. */
export function createPlanCache(mostBytes: number): PlanCache {
  const entries = new LRUCache<string, { readonly stamp: string; readonly plan: CachedPlan }>({
    maxSize: Math.max(1, mostBytes),
  });
  return {
    async get<T>({ key, access }: PlanRequest, make: () => Promise<CachedPlan | T>) {
      const [id, stamp] = [digest(key), digest(access)];
      const known = entries.get(id);
      if (known?.stamp === stamp) return known.plan;
      const plan = await make();
      if (isPlan(plan) && plan.isNumbered) entries.set(id, { stamp, plan }, { size: sizeOf(plan) });
      return plan;
    },
    bytes: () => entries.calculatedSize,
  };
}

function sizeOf({ plan, slip }: CachedPlan): number {
  const lists = [plan.late, slip?.nodes, slip?.late.before, slip?.late.after];
  const listed = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return ENTRY_BYTES + NODE_BYTES * plan.nodes.length + LISTED_BYTES * listed;
}

function isPlan<T>(value: CachedPlan | T): value is CachedPlan {
  return typeof value === 'object' && value !== null && 'plan' in value && 'blockers' in value;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
