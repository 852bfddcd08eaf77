// How much of the graph a group may load.
import { MAXIMUM_LINKS_ON_NODE } from '@taskgraph/domain/decision/link-degree';

export interface LoadBounds {
  /** Maximum entities of one walk from a start. */
  readonly entities: number;
  /** Maximum rows of all starts of one kind of load. */
  readonly rows: number;
  /**
   * For a large command: the database searches paths, and a cascade loads in one query instead of
   * one round for each step.
   */
  readonly large: boolean;
}

/**
 * Maximum characters of a batch's stored changes that a shared load parses: a typical composite
 * command of 500 operations has fewer.
 */
const CHARACTERS_TOGETHER = 1_000_000;

/** Maximum characters of a batch's changes. */
export function charactersBoundOf({ large }: LoadBounds): number {
  return large ? Number.MAX_SAFE_INTEGER : CHARACTERS_TOGETHER;
}

/**
 * Maximum links on a node: for a large command every possible one, so that a node can be trashed
 * with all the links that others attached (LNK2).
 */
export function linksBoundOf({ entities, large }: LoadBounds): number {
  return large ? Math.max(entities, MAXIMUM_LINKS_ON_NODE) : entities;
}
