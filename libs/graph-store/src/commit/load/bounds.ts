// How much of the graph a group may load.
import { MAXIMUM_LINKS_ON_NODE } from '@taskgraph/domain/decision/crowding';

export interface LoadBounds {
  /** Most entities that one start of a walk may bring. */
  readonly entities: number;
  /** Most rows that all starts of one kind of load may bring together. */
  readonly rows: number;
  /**
   * For one command whose surroundings are too large to load with others: paths are searched by the database, and cascades are loaded
   * in one go instead of a round a step.
   */
  readonly large: boolean;
}

/** Most characters of a batch's stored changes that are taken apart together with others' loads: a usual composite of 500 operations has less. */
const CHARACTERS_TOGETHER = 1_000_000;

/** How many characters the changes of a batch may have. */
export function charactersBoundOf({ large }: LoadBounds): number {
  return large ? Number.MAX_SAFE_INTEGER : CHARACTERS_TOGETHER;
}

/** How many links on a node may come: for a large command all that there can be, so that a node is trashed whatever others have attached (LNK2). */
export function linksBoundOf({ entities, large }: LoadBounds): number {
  return large ? Math.max(entities, MAXIMUM_LINKS_ON_NODE) : entities;
}
