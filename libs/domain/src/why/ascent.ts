// Walks from a node up to its share roots over nodes that the reader sees, along propagating links,
// step by step. Pure: the caller looks up the nodes of each step. Rules: WHY2, WHY3, ACL3.

/** A node above the start. */
export interface AscentNode {
  readonly id: string;
  readonly ownerId: string;
  readonly inTrash: boolean;
  /** The targets of its propagating links. */
  readonly above: readonly string[];
}

export interface Ascent {
  /** The nodes of the next step, by id; empty when the walk has ended. */
  next(): readonly string[];
  /** Takes the nodes of the step as stored now, without missing ones. */
  take(found: ReadonlyMap<string, AscentNode>): void;
  /**
   * A shortest path from the node up to a root over visible nodes, or null. Of several, the first
   * one found.
   */
  pathTo(root: string): string[] | null;
  /** The owner's nearest node, the first by id. */
  readonly nearestOwn: string | null;
  /** Whether the walk ended at a bound. */
  readonly truncated: boolean;
}

/** Most visible nodes that are visited. */
const MAXIMUM_NODES = 20_000;
/** Most links that are visited. */
export const MAXIMUM_LINKS = 200_000;

export interface AscentGoals {
  readonly roots: readonly string[];
  /** Also look for this owner's nearest node. */
  readonly owner: string | null;
}

export function ascend(start: string, { roots, owner }: AscentGoals, sees: (node: AscentNode) => boolean): Ascent {
  const below = new Map<string, string | null>([[start, null]]);
  const seen = new Set<string>();
  const missing = new Set(roots);
  let nearestOwn: string | null = null;
  let links = 0;
  let truncated = false;
  let step = [start];
  const isDone = () => missing.size === 0 && (owner === null || nearestOwn !== null);
  return {
    next: () => (isDone() ? [] : step),
    take(found) {
      const taken = step;
      step = [];
      for (const id of taken) {
        const node = found.get(id);
        if (node === undefined || node.inTrash || !sees(node)) continue;
        if (seen.size >= MAXIMUM_NODES || links > MAXIMUM_LINKS) {
          truncated = true;
          step = [];
          return;
        }
        seen.add(id);
        missing.delete(id);
        if (node.ownerId === owner) nearestOwn ??= id;
        for (const above of node.above) {
          links++;
          if (below.has(above)) continue;
          below.set(above, id);
          step.push(above);
        }
      }
      // A step with this many links may have been read incompletely.
      if (links > MAXIMUM_LINKS) {
        truncated = true;
        step = [];
      }
      step.sort();
    },
    pathTo(root) {
      if (!seen.has(root)) return null;
      const path: string[] = [];
      for (let at: string | null | undefined = root; at !== null && at !== undefined; at = below.get(at)) path.push(at);
      return path.reverse();
    },
    get nearestOwn() {
      return nearestOwn;
    },
    get truncated() {
      return truncated;
    },
  };
}

/**
 * The path as the reader sees it. Without a visible path, one null replaces everything between its
 * ends.
 */
export function visiblePath(start: string, root: string, path: readonly string[] | null): (string | null)[] {
  if (path !== null) return [...path];
  return start === root ? [start] : [start, null, root];
}

/** The path with at most `most` ids. One null replaces the middle of a longer path. */
export function shortenPath(path: readonly (string | null)[], most: number): (string | null)[] {
  return path.length <= most ? [...path] : [...path.slice(0, most - 2), null, ...path.slice(-1)];
}
