// A page of the active graph: all nodes before all links, each by id. Where they come from is a scope's business. Rules: EVT3.
import type { LinkState } from '@taskgraph/domain/state';
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
  readonly links: readonly LinkState[];
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
  /** In order. One that went while the page was read has no node any more. */
  readonly ids: readonly string[];
  readonly nodes: readonly PlacedNode[];
  /** How many were skipped: fewer than asked for where there are no more. */
  readonly skipped: number;
}

/** The part of the active graph that is paged. */
export interface Scope {
  nodes(window: Window): Promise<NodeStretch>;
  links(window: Window): Promise<LinkState[]>;
}

const NO_NODES: NodeStretch = { ids: [], nodes: [], skipped: 0 };

/** Reads one page. One entity more than the limit is asked for, which tells whether there is a next page. */
export async function readGraphPage(scope: Scope, { limit, offset, after }: PageRequest): Promise<GraphPage> {
  const skip = after === null ? offset : 0;
  const stretch =
    after?.kind === 'link' ? NO_NODES : await scope.nodes({ after: after?.id ?? '', skip, limit: limit + 1 });
  const ids = stretch.ids.slice(0, limit);
  const shown = new Set(ids);
  const nodes = stretch.nodes.filter(({ node }) => shown.has(node.id));
  const lastNode = ids.at(-1);
  const nextNode: Cursor | null = lastNode === undefined ? null : { kind: 'node', id: lastNode };
  if (stretch.ids.length > limit) return { nodes, links: [], next: nextNode };
  const room = limit - ids.length;
  const found = await scope.links({
    after: after?.kind === 'link' ? after.id : '',
    // What of the offset is left when all nodes are passed.
    skip: skip - stretch.skipped,
    limit: room + 1,
  });
  const links = found.slice(0, room);
  const lastLink = links.at(-1);
  if (found.length <= room) return { nodes, links, next: null };
  // Where only links are left, a node's cursor past all nodes goes on with the first link.
  return { nodes, links, next: lastLink === undefined ? nextNode : { kind: 'link', id: lastLink.id } };
}
