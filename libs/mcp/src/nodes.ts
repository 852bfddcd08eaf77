// Nodes by their ids.
import type { PageLink } from '@taskgraph/wire/entities';
import { quoted, type ShownNode, shortId } from './lines.ts';
import type { AgentService } from './service.ts';

/** The most ids of one `node:get`. */
export const MOST_IDS = 100;

export interface ReadNodes {
  readonly nodes: ReadonlyMap<string, ShownNode>;
  readonly links: readonly PageLink[];
  /** Whether there are more links. */
  readonly truncated: boolean;
}

/** Reads at most 100 nodes, with the links on them. Nodes that cannot be read are missing. */
export async function readNodes(
  service: AgentService,
  ids: readonly string[],
  { links = false }: { readonly links?: boolean } = {},
): Promise<ReadNodes> {
  const nodes = new Map<string, ShownNode>();
  if (ids.length === 0) return { nodes, links: [], truncated: false };
  const found: PageLink[] = [];
  let truncated = false;
  // An answer of many long descriptions has not all of them.
  for (let rest: readonly string[] = ids.slice(0, MOST_IDS); rest.length > 0; ) {
    const answer = await service.call('node:get', { ids: rest, ...(links ? { links } : {}) });
    const read = answer.nodes as readonly ShownNode[];
    for (const node of read) nodes.set(node.id, node);
    found.push(...((answer.links ?? []) as readonly PageLink[]));
    truncated ||= answer.truncated === true;
    rest = read.length === 0 ? [] : ((answer.unread ?? []) as readonly string[]);
  }
  return { nodes, links: [...new Map(found.map((link) => [link.id, link])).values()], truncated };
}

/** Names nodes in lines by short id and title. Reads at most 100 titles. */
export async function readNames(service: AgentService, ids: Iterable<string>): Promise<(id: string) => string> {
  const { nodes } = await readNodes(service, [...new Set(ids)].slice(0, MOST_IDS));
  return (id) => nameOf(id, nodes.get(id)?.title);
}

/** A node by short id and, if known, title. */
export function nameOf(id: string, title?: string): string {
  return title === undefined ? shortId(id) : `${shortId(id)} ${quoted(title)}`;
}
