// A page of the active graph: all nodes before all links, each by id. Where they come from is a scope's business. Rules: EVT3, GEN11.
import type { PageRoom } from './page-byte-limit.ts';
import type { PlacedLink } from './placed-links.ts';
import type { PlacedNode } from './placed-nodes.ts';

export interface PageRequest {
  /** Most nodes and links together. */
  readonly limit: number;
  /** How many to skip; ignored where `after` is given. */
  readonly offset: number;
  /** The cursor of the page before. */
  readonly after: Cursor | null;
}

/** Where a walk stands: the last entity that was handed out. */
export interface Cursor {
  readonly kind: 'node' | 'link';
  readonly id: string;
}

export interface GraphPage {
  readonly nodes: readonly PlacedNode[];
  readonly links: readonly PlacedLink[];
  /** Null where the page is the last. */
  readonly next: Cursor | null;
}

/** A stretch of nodes or of links: those past an id, without the first of them. */
export interface Window {
  /** An id, or '' for the beginning. */
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

export interface NodeStretch {
  readonly nodes: readonly PlacedNode[];
  /** How many nodes were passed: more than there are where some went while the page was read. */
  readonly passed: number;
  /** The last of those that were passed; null where there was none. */
  readonly last: string | null;
  /** Whether more follow: past the limit, or because there was no room for them. */
  readonly hasMore: boolean;
  /** How many were skipped: fewer than asked for where there are no more. */
  readonly skipped: number;
}

/** The part of the active graph that is paged. */
export interface Scope {
  /** As many nodes as the window holds and there is room for. */
  nodes(window: Window, room: PageRoom): Promise<NodeStretch>;
  links(window: Window): Promise<PlacedLink[]>;
}

const NO_NODES: NodeStretch = { nodes: [], passed: 0, last: null, hasMore: false, skipped: 0 };

/** About what a link takes in an answer; it has no texts. */
const LINK_BYTES = 280;

/** The owners of all that a page shows, and of the feeds that its nodes belong to, be it that nobody reads these now. */
export function ownersOf({ nodes, links }: Pick<GraphPage, 'nodes' | 'links'>): Set<string> {
  const owners = new Set<string>();
  for (const { node, feedOwners } of nodes) {
    owners.add(node.ownerId);
    for (const owner of feedOwners) owners.add(owner);
  }
  for (const { sourceOwnerId, targetOwnerId } of links) owners.add(sourceOwnerId).add(targetOwnerId);
  return owners;
}

/** Reads one page: as many as the limit allows and as there is room for, but at least one. */
export async function readGraphPage(
  scope: Scope,
  { limit, offset, after }: PageRequest,
  room: PageRoom,
): Promise<GraphPage> {
  const skip = after === null ? offset : 0;
  const stretch = after?.kind === 'link' ? NO_NODES : await scope.nodes({ after: after?.id ?? '', skip, limit }, room);
  const { passed, last } = stretch;
  // The index may find a node active that is read in the trash a moment later.
  const nodes = stretch.nodes.filter(({ node }) => !node.inTrash);
  const nextNode: Cursor | null = last === null ? null : { kind: 'node', id: last };
  if (stretch.hasMore) return { nodes, links: [], next: nextNode };
  const fitting = Math.max(passed === 0 ? 1 : 0, Math.floor(room.leftBytes() / LINK_BYTES));
  const count = Math.min(limit - passed, fitting);
  const found = await scope.links({
    after: after?.kind === 'link' ? after.id : '',
    // The rest of the offset when all nodes are passed.
    skip: skip - stretch.skipped,
    // One more tells whether there is a next page.
    limit: count + 1,
  });
  const links = found.slice(0, count);
  const lastLink = links.at(-1);
  if (found.length <= count) return { nodes, links, next: null };
  // Where only links are left, a node's cursor past all nodes goes on with the first link.
  return { nodes, links, next: lastLink === undefined ? nextNode : { kind: 'link', id: lastLink.id } };
}
