// The paths from a node up to the roots by which it is seen, over what one reader sees alone: walked along conveying links, a step at a time.
// Rules: WHY2, WHY3, ACL3. Pure: what stands at the next step is looked up by the caller, and judged here.

/** A node on the way up. */
export interface AscentNode {
  readonly id: string;
  readonly ownerId: string;
  readonly inTrash: boolean;
  /** The targets of the conveying links that leave it. */
  readonly above: readonly string[];
}

export interface Ascent {
  /** The nodes of the next step, by id; none once all that is sought was found, or nothing is left. */
  next(): readonly string[];
  /** Takes them as they are now; those that don't exist any more are left out. */
  take(found: ReadonlyMap<string, AscentNode>): void;
  /** From the node up to a root, over nodes in sight; null where there is no such path. Of several shortest ones, the one that was found first. */
  pathTo(root: string): string[] | null;
  /** The nearest node of an owner, the first by id. */
  readonly nearestOwn: string | null;
  /** Whether the walk ended at its bound. */
  readonly truncated: boolean;
}

/** Most nodes in sight that are walked over. */
const MAXIMUM_NODES = 20_000;
/** Most links that are looked at. */
export const MAXIMUM_LINKS = 200_000;

export interface AscentGoals {
  readonly roots: readonly string[];
  /** Looks for the nearest node of this owner too. */
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
      // Where so many were read together, some of what was asked for may not have come.
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

/** The path as it is told: where none leads over what the reader sees alone, all that lies between is one run out of sight. */
export function visiblePath(start: string, root: string, path: readonly string[] | null): (string | null)[] {
  if (path !== null) return [...path];
  return start === root ? [start] : [start, null, root];
}

/** The same with no more ids than that: the middle of a longer one is left out as a run. */
export function shortenPath(path: readonly (string | null)[], most: number): (string | null)[] {
  return path.length <= most ? [...path] : [...path.slice(0, most - 2), null, ...path.slice(-1)];
}
