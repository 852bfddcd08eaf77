// A page of the active graph: all nodes before all links, each by id. A scope provides them. Rules:
// EVT3, GEN11.

import type { LinkWithOwners } from './links-with-owners.ts';
import type { NodePage, NodeWithFeeds } from './nodes-with-feeds.ts';
import type { ByteBudget } from './page-byte-limit.ts';
import type { LinkWindow, PageWindow } from './page-window.ts';

export interface PageRequest {
  /** Maximum nodes and links together. */
  readonly limit: number;
  /** How many to skip; ignored with `after`. */
  readonly offset: number;
  /** The cursor of the previous page. */
  readonly after: Cursor | null;
}

/** The position of a walk: the last returned entity. */
export interface Cursor {
  readonly kind: 'node' | 'link';
  readonly id: string;
}

export interface GraphPage {
  readonly nodes: readonly NodeWithFeeds[];
  readonly links: readonly LinkWithOwners[];
  /** Null on the last page. */
  readonly next: Cursor | null;
}

/** The nodes of a window after an offset. */
export interface NodeRange extends NodePage {
  /** How many were skipped: fewer than requested at the end. */
  readonly skipped: number;
}

/** A part of the active graph that can be paged. */
export interface PagedGraph {
  /** As many nodes as the window and the budget allow. */
  nodes(window: PageWindow, budget: ByteBudget): Promise<NodeRange>;
  links(window: LinkWindow): Promise<LinkWithOwners[]>;
}

const NO_NODES: NodeRange = { nodes: [], consumed: 0, last: null, hasMore: false, skipped: 0 };

/** Approximate bytes of a link in an answer; it has no texts. */
export const LINK_BYTES = 280;

/**
 * The owners of everything on a page and of the feeds of its nodes, even of feeds without readers.
 */
export function ownersOf({ nodes, links }: Pick<GraphPage, 'nodes' | 'links'>): Set<string> {
  const owners = new Set<string>();
  for (const { node, feedOwners } of nodes) {
    owners.add(node.ownerId);
    for (const owner of feedOwners) owners.add(owner);
  }
  for (const { sourceOwnerId, targetOwnerId } of links) owners.add(sourceOwnerId).add(targetOwnerId);
  return owners;
}

/** Reads one page: at least one entity, up to the limit and the byte budget. */
export async function readGraphPage(
  scope: PagedGraph,
  { limit, offset, after }: PageRequest,
  budget: ByteBudget,
): Promise<GraphPage> {
  const skip = after === null ? offset : 0;
  const stretch =
    after?.kind === 'link' ? NO_NODES : await scope.nodes({ after: after?.id ?? '', skip, limit }, budget);
  const { consumed, last } = stretch;
  // The index may list a node that is in the trash when read a moment later.
  const nodes = stretch.nodes.filter(({ node }) => !node.inTrash);
  const nextNode: Cursor | null = last === null ? null : { kind: 'node', id: last };
  if (stretch.hasMore) return { nodes, links: [], next: nextNode };
  const fitting = Math.max(consumed === 0 ? 1 : 0, Math.floor(budget.leftBytes() / LINK_BYTES));
  const count = Math.min(limit - consumed, fitting);
  const found = await scope.links({
    after: after?.kind === 'link' ? after.id : '',
    // The rest of the offset after all nodes.
    skip: skip - stretch.skipped,
    // One more shows whether there is a next page.
    limit: count + 1,
    isContinued: after !== null,
  });
  const links = found.slice(0, count);
  const lastLink = links.at(-1);
  if (found.length <= count) return { nodes, links, next: null };
  // If only links are left, a node's cursor past all nodes continues with the first link.
  return { nodes, links, next: lastLink === undefined ? nextNode : { kind: 'link', id: lastLink.id } };
}
