// The graph of a run as its clients know it: for each user a shared tree and a private one. Clients
// forget entities that have been in the trash for long, so that pages stay complete.
import type { Version } from '../history/history.ts';

export interface Tree {
  readonly owner: number;
  readonly root: string;
  readonly shared: boolean;
  /** Versions of the nodes by id, without the root. */
  readonly active: Map<string, number>;
  readonly trashed: string[];
  /** Links between children. */
  readonly links: string[];
}

const REMEMBERED = 8;

export function newTree(owner: number, root: string, shared: boolean): Tree {
  return { owner, root, shared, active: new Map(), trashed: [], links: [] };
}

interface DiffEntry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}
interface DiffBody {
  readonly batchId: string | null;
  readonly nodes: readonly DiffEntry[];
  readonly links: readonly DiffEntry[];
}

/**
 * The batch and versions of an answer or a push. The entries of an undo are flat, with the id
 * beside `after`.
 */
export function readDiff(diff: unknown): { batch: string | null; versions: Version[] } {
  const { batchId = null, nodes = [], links = [] } = (diff ?? {}) as Partial<DiffBody>;
  const versions = [...nodes, ...links].flatMap((entry) => {
    const { id = (entry as { id?: unknown }).id, version } = entry.after ?? {};
    return typeof id === 'string' && typeof version === 'number' ? [{ id, version }] : [];
  });
  return { batch: batchId, versions };
}

/** Updates a tree from an answer. */
export function applyDiff(tree: Tree, diff: unknown): void {
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
