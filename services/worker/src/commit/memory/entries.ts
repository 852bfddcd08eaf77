// The entries of a worker's memory: what is remembered of an owner, and of one node.
import { isWhole, type LockedUser, type NodeState } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';

/**
 * The lists on a node that are remembered: the links of all of them lie with its owner, whoever made them. Those by which a branch is walked are
 * not among them: with some known, the rest would be asked for step by step in place of all at once.
 */
export const LISTS = [
  ...(['linksOn', 'activeOn', 'primaryFrom', 'primaryInto'] as const),
  ...(['members', 'neighbours'] as const),
] satisfies (keyof World)[];
type ListName = (typeof LISTS)[number];
type ListOf<K extends ListName> = World[K] extends Map<string, infer V> ? V : never;

/** Longer lists are loaded each time: every command that changes one copies it. */
export const LONGEST_LIST = 64;
/** Rough sizes in memory, bytes. */
export const ENTITY_BYTES = 1_000;
export const LIST_BYTES = 100;
export const ITEM_BYTES = 60;

/** An owner at a revision. All that is remembered of theirs points here, and is gone when this is no longer known. */
export interface Owner {
  user: LockedUser;
  known: boolean;
  /** How often something was put in. */
  puts: number;
}

/** All that is remembered of one node. */
export type NodeEntry = { readonly owner: Owner; node?: NodeState; degree?: number } & { [K in ListName]?: ListOf<K> };

/** Puts in what is known now of a node. */
export function put<K extends keyof NodeEntry>(entry: NodeEntry | undefined, field: K, value: NodeEntry[K]): void {
  if (entry === undefined) return;
  // A node that came as the end of a link gives way to the same with its content, and not the other way round.
  entry[field] = value;
}

/** A list that was cut for display is not kept in step. */
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
