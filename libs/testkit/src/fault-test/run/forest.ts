// The graph that the clients of a run work on, as far as they have heard of it: for each user a shared tree and one of their own. They forget what is
// long in the trash, so that pages stay whole.
import type { Version } from '../history/history.ts';

export interface Tree {
  readonly owner: number;
  readonly root: string;
  readonly shared: boolean;
  /** Versions of nodes, the root's left out, by id. */
  readonly active: Map<string, number>;
  readonly trashed: string[];
  /** Links between children. */
  readonly links: string[];
}

const REMEMBERED = 8;

export function newTree(owner: number, root: string, shared: boolean): Tree {
  return { owner, root, shared, active: new Map(), trashed: [], links: [] };
}

interface Entry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}
interface DiffBody {
  readonly batchId: string | null;
  readonly nodes: readonly Entry[];
  readonly links: readonly Entry[];
}

/** Batch and versions of an answer or a push. An undo's entries are flat, with the id beside `after`. */
export function readDiff(diff: unknown): { batch: string | null; versions: Version[] } {
  const { batchId = null, nodes = [], links = [] } = (diff ?? {}) as Partial<DiffBody>;
  const versions = [...nodes, ...links].flatMap((entry) => {
    const { id = (entry as { id?: unknown }).id, version } = entry.after ?? {};
    return typeof id === 'string' && typeof version === 'number' ? [{ id, version }] : [];
  });
  return { batch: batchId, versions };
}

/** Takes in what an answer says of a tree. */
export function learn(tree: Tree, diff: unknown): void {
  const { nodes = [], links = [] } = (diff ?? {}) as Partial<DiffBody>;
  for (const { after } of nodes) {
    const id = String(after?.id);
    if (id === tree.root || after?.id === undefined) continue;
    if (after.inTrash === true) {
      tree.active.delete(id);
      tree.trashed.push(id);
    } else tree.active.set(id, Number(after.version));
  }
  for (const { op, after } of links)
    if (op === LINK_ADD && after.target !== tree.root && typeof after.id === 'string') tree.links.push(after.id);
  tree.trashed.splice(0, tree.trashed.length - REMEMBERED);
  tree.links.splice(0, tree.links.length - REMEMBERED);
}

const LINK_ADD = 10;
