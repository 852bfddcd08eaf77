// Converts the nodes and links of the service into the graph that all formats are written from. Its
// order depends only on its content. Rules: IO2, IO3.
import type { Node, PageLink } from '@taskgraph/wire/public-types';
import type { Caller } from '../caller.ts';
import { orderGraph } from './graph-order.ts';
import { createLossReport } from './loss-report.ts';
import {
  EMPTY_FIELDS,
  placeOf,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from './transfer-graph.ts';

/** Nodes and links as pages and replicas have them. */
export interface GraphContent {
  readonly nodes: Iterable<ContentNode>;
  readonly links: Iterable<ContentLink>;
  /** Whether the reader has more grants than the service shows. */
  readonly truncated?: boolean | undefined;
}

type ContentNode = Pick<Node, 'id' | 'title' | 'status' | 'publicToken'> & Partial<Node>;
type ContentLink = Pick<PageLink, 'id' | 'source' | 'target' | 'type' | 'private'>;

/** Reads everything that the caller may see, or one node with everything below it. */
export async function readContent(caller: Caller, { root }: { readonly root?: string } = {}): Promise<GraphContent> {
  const [nodes, links]: [Node[], PageLink[]] = [[], []];
  let after: string | null = null;
  let truncated = false;
  do {
    const page: ContentPage = await readPage(caller, root, after);
    nodes.push(...page.nodes);
    links.push(...page.links);
    truncated ||= page.truncated === true;
    if (nodes.length > TRANSFER_BOUNDS.nodes) throw new Error(`it has more than ${TRANSFER_BOUNDS.nodes} nodes`);
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  return { nodes, links, ...(truncated ? { truncated } : {}) };
}

interface ContentPage {
  readonly nodes: readonly Node[];
  readonly links: readonly PageLink[];
  readonly hasMore: boolean;
  readonly truncated?: true | undefined;
  readonly next: string | null;
}

async function readPage(caller: Caller, root: string | undefined, after: string | null): Promise<ContentPage> {
  const from = { limit: 5_000, ...(after === null ? {} : { after }) };
  const page = await (root === undefined
    ? caller.call('graph:get', from)
    : caller.call('branch:get', { root, ...from }));
  return page as ContentPage;
}

/** A node with everything below it. */
export function branchOf({ nodes, links }: GraphContent, root: string): GraphContent {
  const allLinks = [...links];
  const children = new Map<string, string[]>();
  for (const { source, target } of allLinks) push(children, target, source);
  const branch = new Set([root]);
  // The set grows during this walk.
  for (const id of branch) for (const child of children.get(id) ?? []) branch.add(child);
  return {
    nodes: [...nodes].filter(({ id }) => branch.has(id)),
    links: allLinks.filter(({ source }) => branch.has(source)),
  };
}

/** A graph for writers. `ids` has the ids of the nodes by key. */
export interface ExportGraph extends TransferGraph {
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * The graph of the content. Keys are the numbers of the nodes, so that equal content gives equal
 * files.
 */
export function exportGraph({ nodes, links, truncated = false }: GraphContent): ExportGraph {
  const losses = createLossReport();
  if (truncated) losses.note('grants beyond the number that the service shows', 'the whole graph');
  const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
  const graphNodes = [...nodes].sort(byId).map((node) => nodeOf(node, losses.note));
  const keys = new Set(graphNodes.map(({ key }) => key));
  const graphLinks: TransferLink[] = [];
  for (const { source, target, type, private: isPrivate } of [...links].sort(byId)) {
    if (keys.has(source) && keys.has(target)) {
      graphLinks.push({ source, target, type: type === 0 ? 0 : 1, private: isPrivate === true });
    } else losses.note('a link to or from a task that is not in the export', `${source} → ${target}`);
  }
  return withNumbersAsKeys(orderGraph({ nodes: graphNodes, links: graphLinks, leftOut: losses.list() }));
}

function withNumbersAsKeys(graph: TransferGraph): ExportGraph {
  const numbers = new Map(graph.nodes.map(({ key }, index) => [key, String(index + 1)]));
  const numberOf = (id: string) => numbers.get(id) ?? id;
  return {
    ...graph,
    ids: new Map(graph.nodes.map(({ key }) => [numberOf(key), key])),
    nodes: graph.nodes.map((node) => ({ ...node, key: numberOf(node.key) })),
    links: graph.links.map((link) => ({ ...link, source: numberOf(link.source), target: numberOf(link.target) })),
  };
}

function nodeOf(node: ContentNode, note: (what: string, place: string) => void): TransferNode {
  const fields = Object.fromEntries(
    Object.entries(EMPTY_FIELDS).map(([name, empty]) => [name, node[name as keyof ContentNode] ?? empty]),
  );
  const { completedTime = null } = node;
  const transferNode = { ...(fields as unknown as typeof EMPTY_FIELDS), key: node.id, line: null, completedTime };
  if (node.publicToken) note('the publication of a node', placeOf(transferNode));
  return transferNode;
}
