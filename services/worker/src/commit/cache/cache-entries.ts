// The entries of the graph cache: owners and nodes.
import { isWhole, type LockedUser, type NodeState } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';

/**
 * The cached lists of a node. They belong to the node's owner, even if other users made the links.
 * Lists for walks over a branch are not cached: a partial cache would turn one load of the whole
 * branch into many small ones.
 */
export const LISTS = [
  'linksOn' as const,
  'activeOn' as const,
  'primaryFrom' as const,
  'primaryInto' as const,
  'members' as const,
  'neighbours' as const,
] satisfies (keyof World)[];
type ListName = (typeof LISTS)[number];
type ListOf<K extends ListName> = World[K] extends Map<string, infer V> ? V : never;

/** Longer lists are not cached: every command that changes one copies it. */
export const LONGEST_LIST = 64;
/** Rough sizes in memory, bytes. */
export const ENTITY_BYTES = 1_000;
export const LIST_BYTES = 100;
export const ITEM_BYTES = 60;

/** An owner at a revision. Every entry points to its owners, and is invalid once one of them is. */
export interface Owner {
  user: LockedUser;
  valid: boolean;
  /** The number of groups that stored entries of this owner. */
  version: number;
}

/** The cached parts of one node. */
export type NodeEntry = { readonly owner: Owner; node?: NodeState; degree?: number } & { [K in ListName]?: ListOf<K> };

/** Sets a part of a node. */
export function put<K extends keyof NodeEntry>(entry: NodeEntry | undefined, field: K, value: NodeEntry[K]): void {
  if (entry === undefined) return;
  entry[field] = value;
}

/** Whether a list is complete and short enough for the cache. */
export function isShort(list: ListOf<ListName>): boolean {
  if ('exhaustive' in list) return list.exhaustive && list.links.size <= LONGEST_LIST;
  return list.size <= LONGEST_LIST;
}

/** Rough size in memory, bytes. */
export function sizeOf(entry: NodeEntry): number {
  const { node } = entry;
  let size = ENTITY_BYTES;
  if (node !== undefined && isWhole(node)) {
    size += 2 * (node.title.length + node.description.length + (node.assignee?.length ?? 0));
    for (const tag of node.tags) size += 2 * tag.length + ITEM_BYTES;
  }
  for (const name of LISTS) {
    const list = entry[name];
    if (list === undefined) continue;
    size += LIST_BYTES + ITEM_BYTES * ('exhaustive' in list ? list.links.size : list.size);
  }
  return size;
}
