// The graph of the service as what all formats are written from: all writable fields, in an order that its content alone decides. Rules: IO2, IO3.
import type { Node, PageLink } from '@taskgraph/wire/public-types';
import { arranged } from './arrange.ts';
import type { Caller } from './import-sender.ts';
import {
  createLedger,
  EMPTY_FIELDS,
  placeOf,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from './model.ts';

/** Nodes and links as pages and replicas have them. */
export interface Content {
  readonly nodes: Iterable<ContentNode>;
  readonly links: Iterable<ContentLink>;
  /** Whether more was granted to the reader than the service shows. */
  readonly truncated?: boolean | undefined;
}

type ContentNode = Pick<Node, 'id' | 'title' | 'status' | 'publicToken'> & Partial<Node>;
type ContentLink = Pick<PageLink, 'id' | 'source' | 'target' | 'type' | 'private'>;

/** Reads all that the caller is shown, or a node with all below it. */
export async function readContent(caller: Caller, { root }: { readonly root?: string } = {}): Promise<Content> {
  const [nodes, links]: [Node[], PageLink[]] = [[], []];
  let after: string | null = null;
  let truncated = false;
  do {
    const page: Page = await pageAfter(caller, root, after);
    nodes.push(...page.nodes);
    links.push(...page.links);
    truncated ||= page.truncated === true;
    if (nodes.length > TRANSFER_BOUNDS.nodes) throw new Error(`it has more than ${TRANSFER_BOUNDS.nodes} nodes`);
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  return { nodes, links, ...(truncated ? { truncated } : {}) };
}

interface Page {
  readonly nodes: readonly Node[];
  readonly links: readonly PageLink[];
  readonly hasMore: boolean;
  readonly truncated?: true | undefined;
  readonly next: string | null;
}

async function pageAfter(caller: Caller, root: string | undefined, after: string | null): Promise<Page> {
  const from = { limit: 5_000, ...(after === null ? {} : { after }) };
  const page = await (root === undefined
    ? caller.call('graph:get', from)
    : caller.call('branch:get', { root, ...from }));
  return page as Page;
}

/** The part of it that is the node with all below it. */
export function branchOf({ nodes, links }: Content, root: string): Content {
  const all = [...links];
  const below = new Map<string, string[]>();
  for (const { source, target } of all) push(below, target, source);
  const found = new Set([root]);
  // The set grows while it is walked.
  for (const id of found) for (const child of below.get(id) ?? []) found.add(child);
  return { nodes: [...nodes].filter(({ id }) => found.has(id)), links: all.filter(({ source }) => found.has(source)) };
}

/** `ids`: those of the nodes, by key. */
export interface Exported extends TransferGraph {
  readonly ids: ReadonlyMap<string, string>;
}

/** The content as it is written: keys are numbers in the order of the nodes, so that the same content gives the same file. */
export function exported({ nodes, links, truncated = false }: Content): Exported {
  const ledger = createLedger();
  if (truncated) ledger.note('what was granted past what the service shows', 'all that is read');
  const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
  const kept = [...nodes].sort(byId).map((node) => nodeOf(node, ledger.note));
  const there = new Set(kept.map(({ key }) => key));
  const within: TransferLink[] = [];
  for (const { source, target, type, private: hidden } of [...links].sort(byId)) {
    if (there.has(source) && there.has(target)) {
      within.push({ source, target, type: type === 0 ? 0 : 1, private: hidden === true });
    } else ledger.note('a link to or from what is not in the export', `${source} → ${target}`);
  }
  const graph = arranged({ nodes: kept, links: within, leftOut: ledger.list() });
  const keys = new Map(graph.nodes.map(({ key }, index) => [key, String(index + 1)]));
  const keyOf = (key: string) => keys.get(key) ?? key;
  return {
    ...graph,
    ids: new Map(graph.nodes.map(({ key }) => [keyOf(key), key])),
    nodes: graph.nodes.map((node) => ({ ...node, key: keyOf(node.key) })),
    links: graph.links.map((link) => ({ ...link, source: keyOf(link.source), target: keyOf(link.target) })),
  };
}

function nodeOf(node: ContentNode, note: (what: string, place: string) => void): TransferNode {
  const fields = Object.fromEntries(
    Object.entries(EMPTY_FIELDS).map(([name, empty]) => [name, node[name as keyof ContentNode] ?? empty]),
  );
  const made = { ...(fields as unknown as typeof EMPTY_FIELDS), key: node.id, line: null };
  if (node.publicToken) note('the publication of a node', placeOf(made));
  return made;
}
