// Plans that were made for a first page, for those that follow it: each page alone would have to
// read and plan the whole. Rules: PLAN1, PLAN6, EVT3.
//
// A plan holds while the access that it was made under does: the numbers of the feeds in that move
// with whatever changes what is planned. How many nodes one waits for may change without a word to
// its reader, so that it is no part of a plan, and each page asks for it.
import { createHash } from 'node:crypto';
import type { Plan, Slip } from '@taskgraph/domain/plan/plan';
import { LRUCache } from 'lru-cache';

/** About what a node takes in a plan with its id, an entry of another list, and a plan besides. */
const NODE_BYTES = 280;
const LISTED_BYTES = 120;
const ENTRY_BYTES = 500;

/** A plan of what one reader sees. */
export interface CachedPlan {
  readonly plan: Plan;
  readonly slip: Slip | null;
  /** Of each Blocked node: how many of those that it waits for are planned. */
  readonly blockers: ReadonlyMap<string, number>;
  /** Whether the numbers of the reader's feeds move with all that is planned. */
  readonly isTold: boolean;
}

export interface PlanRequest {
  /** The reader, and what they ask for. */
  readonly key: readonly unknown[];
  /** All that the reader may see, with the numbers of their feeds, read before the nodes. */
  readonly access: unknown;
}

export interface PlanCache {
  /**
   * Gives the plan that was made under the same access, or makes it, and keeps one whose changes
   * would be told. Rejects as `make` does.
   */
  get<T>(question: PlanRequest, make: () => Promise<CachedPlan | T>): Promise<CachedPlan | T>;
  bytes(): number;
}

/**
 * A cache of so many bytes, of which those plans that were not asked for longest go first. None is
 * kept where it is 0.
 */
export function createPlanCache(mostBytes: number): PlanCache {
  const entries = new LRUCache<string, { readonly stamp: string; readonly made: CachedPlan }>({
    maxSize: Math.max(1, mostBytes),
  });
  return {
    async get<T>({ key, access }: PlanRequest, make: () => Promise<CachedPlan | T>) {
      const [id, stamp] = [digest(key), digest(access)];
      const known = entries.get(id);
      if (known?.stamp === stamp) return known.made;
      const made = await make();
      if (isPlan(made) && made.isTold) entries.set(id, { stamp, made }, { size: sizeOf(made) });
      return made;
    },
    bytes: () => entries.calculatedSize,
  };
}

function sizeOf({ plan, slip }: CachedPlan): number {
  const lists = [plan.late, slip?.nodes, slip?.late.before, slip?.late.after];
  const listed = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return ENTRY_BYTES + NODE_BYTES * plan.nodes.length + LISTED_BYTES * listed;
}

function isPlan<T>(made: CachedPlan | T): made is CachedPlan {
  return typeof made === 'object' && made !== null && 'plan' in made && 'blockers' in made;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
