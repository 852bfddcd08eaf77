// Pages of `node:find` as lines.
import type { WireNode } from '@taskgraph/wire/entities';
import { fitting, moreLine, nodeLine } from './lines.ts';
import type { ToolContext } from './service.ts';

/** The nodes that a page has by default, and at most. */
const DEFAULT_NODES = 50;
export const MOST_NODES = 200;
/** A large graph is searched in rounds, and a round may find nothing. */
const MOST_ROUNDS = 5;

export interface NodePage {
  readonly nodes: readonly WireNode[];
  readonly next: string | null;
}

/**
 * The first page of a search with a hit. `fit` returns the number of its nodes that fit the
 * answer: if it is smaller, the page ends there.
 */
export async function findPage(
  { service }: ToolContext,
  search: object,
  { limit, more, fit }: { limit: number; more: string | undefined; fit(nodes: readonly WireNode[]): number },
): Promise<NodePage> {
  let after = more;
  for (let round = 1; ; round++) {
    const request = { ...search, ...(after === undefined ? {} : { after }) };
    const page = pageOf(await service.call('node:find', { ...request, limit }));
    if (page.nodes.length === 0 && page.next !== null && round < MOST_ROUNDS) {
      after = page.next;
      continue;
    }
    const count = Math.max(1, fit(page.nodes));
    // The service alone makes cursors, so it is asked for as many nodes as fit.
    return count >= page.nodes.length ? page : pageOf(await service.call('node:find', { ...request, limit: count }));
  }
}

function pageOf({ nodes, next }: Readonly<Record<string, unknown>>): NodePage {
  return { nodes: nodes as readonly WireNode[], next: (next ?? null) as string | null };
}

/** The nodes of a search, one a line. */
export async function listNodes(
  context: ToolContext,
  search: object,
  { limit = DEFAULT_NODES, more }: { limit?: number | undefined; more?: string | undefined },
): Promise<string> {
  const lineOf = (node: WireNode) => nodeLine(node, context.nowMs());
  const page = await findPage(context, search, { limit, more, fit: (nodes) => fitting(nodes.map(lineOf)) });
  const none = page.next === null ? 'No node matches.' : 'No node matches so far.';
  const lines = page.nodes.length === 0 ? [none] : page.nodes.map(lineOf);
  return [...lines, ...moreLine(page.next)].join('\n');
}
