// Nodes in full, each with where it belongs: what a view of them needs. Rules: ACL1, ACL2, GEN11.
import { compileLister, compileMaker } from '@taskgraph/domain/state/object-maker';
import type { ShownNode } from '@taskgraph/domain/views/view';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS, VIEWED_NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { integer, withoutStaleClaim, withoutStaleTime } from '../driver/codec.ts';
import { wrapped } from '../driver/columns.ts';
import type { Database } from '../driver/database.ts';
import { IS_LIVE } from '../driver/statement-parts.ts';
import { type ByteBudget, textBytes } from './page-byte-limit.ts';
import type { PageWindow } from './page-window.ts';

/** A node with its feeds, without those of former share roots. */
export interface NodeWithFeeds {
  readonly node: ShownNode;
  readonly feeds: readonly string[];
  /**
   * The owners of all feeds of which it has a row, including former share roots, which may be
   * shared again.
   */
  readonly feedOwners: readonly string[];
}

/** Maximum nodes that one statement reads. */
const NODES_AT_ONCE = 1_024;

/** Approximate bytes of a node without its texts and roots, and of a root's id. */
const NODE_BYTES = 650;
const ROOT_BYTES = 40;

/** The values of a node in the order of COLUMNS. */
type NodeValues = readonly ShownNode[keyof ShownNode][];

const COLUMNS = wrapped(
  VIEWED_NODE_FIELDS.map((name) => `p.${name}`),
  10,
  '    ',
);
/** The texts of a node, and its lists of them: the parts of its content, whose size varies. */
const TEXTS = namesWhere(NODE_FIELDS, ({ kind, content }) => content === true && kind === 'text');
const LISTS = namesWhere(NODE_FIELDS, ({ kind, content }) => content === true && kind === 'texts');
const textsIn = compileLister<ShownNode, string>(TEXTS, LISTS);
const TEXT_LENGTH = TEXTS.map((name) => `coalesce(size(p.${name}), 0)`).join(' + ');
const LISTED_TEXTS = LISTS.map((name) => `coalesce(p.${name}, [])`).join(' + ');

/** In a statement: approximate bytes of the fields `p` of a node in an answer. */
const WEIGHT = `${NODE_BYTES} + $characterBytes * (${TEXT_LENGTH}
      + reduce(sum = 0, text IN ${LISTED_TEXTS} | sum + size(text)))`;

/** Nodes in one row of a statement: each row costs the server and the driver as much as a node. */
const NODES_A_ROW = 16;

/**
 * The rows of a statement for active nodes `n`, in their order, up to 16 nodes in each. In: bytes (the
 * budget of nodes to read), characterBytes (bytes of a character). Out: found (the number of all nodes),
 * nodes (the values of each; field names would double the message) and rows (of each node: `[feed, its
 * owner]` of each membership; the feed is null without readers). Nodes past the budget count in `found`;
 * they are returned only if they share a row with nodes within it. Locks: none. Cost: the full nodes
 * returned.
 *
 * The server reads a text to measure it: so it reads the fields of one row after another, once, and
 * none past the budget. Membership rows have no weight: a node has at most 64. They are read after the
 * fields: if a node leaves a branch during the read, later writes to it must not be shown.
 */
export const NODES_WITH_FEEDS = `
WITH collect(n) AS nodes
WITH nodes, reduce(page = {left: $bytes, parts: []}, start IN range(0, size(nodes) - 1, ${NODES_A_ROW}) |
  CASE WHEN page.left <= 0 THEN page
  ELSE head([fields IN [[n IN nodes[start..start + ${NODES_A_ROW}] | properties(n)]] | {
    left: page.left - reduce(bytes = 0, p IN fields | bytes + ${WEIGHT}),
    parts: page.parts + [fields]
  }]) END).parts AS parts
UNWIND range(0, size(parts) - 1) AS at
WITH size(nodes) AS found, parts[at] AS fields, nodes[at * ${NODES_A_ROW}..(at + 1) * ${NODES_A_ROW}] AS part
RETURN found, [p IN fields | [
    ${COLUMNS}
  ]] AS nodes,
  [n IN part | [(n)-[row:IN]->(f:Feed) | [CASE WHEN ${IS_LIVE} THEN row.feed END, f.ownerId]]] AS rows`;

/**
 * In: ids, bytes, characterBytes. Out: see NODES_WITH_FEEDS; no row for a missing or trashed node.
 * Locks: none. Cost: one index look-up each, and the full nodes returned.
 */
const READ_NODES_WITH_FEEDS = `
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Node {id: $ids[place]}) WHERE n.inTrash = false
WITH n ORDER BY place${NODES_WITH_FEEDS}`;

const FIELDS_WITHOUT_DESCRIPTION = wrapped(
  VIEWED_NODE_FIELDS.filter((name) => name !== 'description').map((name) => `.${name}`),
  10,
  '      ',
);

/** The same with empty descriptions, which the server does not read. */
const READ_NODES_WITHOUT_DESCRIPTIONS = READ_NODES_WITH_FEEDS.replace(
  'properties(n)',
  `n {${FIELDS_WITHOUT_DESCRIPTION}}`,
).replaceAll('p.description', "''");

/** The feed of each membership row of a node, null without readers, and the feed's owner. */
type FeedRows = readonly (readonly [feed: string | null, ownerId: string])[];

/** One row of NODES_WITH_FEEDS. */
interface NodesRow {
  readonly found: number;
  readonly nodes: readonly NodeValues[];
  readonly rows: readonly FeedRows[];
}

function nodeWithFeedsOf(values: NodeValues, rows: FeedRows): NodeWithFeeds {
  return {
    node: withoutStaleClaim(withoutStaleTime(nodeOf(values))),
    feeds: rows.length === 0 ? NONE : rows.map(([feed]) => feed).filter((feed) => feed !== null),
    feedOwners: rows.length === 0 ? NONE : rows.map(([, ownerId]) => ownerId),
  };
}

const nodeOf = compileMaker<(values: NodeValues) => ShownNode>(
  ['values'],
  VIEWED_NODE_FIELDS.map((name, index) => [name, `values[${index}]`]),
);

const NONE: readonly string[] = [];

/** Nodes of a page. */
export interface PagePart {
  readonly nodes: readonly NodeWithFeeds[];
  /** How many ids the page consumed: all, or those within the budget. Missing nodes count too. */
  readonly consumed: number;
}

/** Bytes of a character until some were measured; few need more. */
const UNSEEN_CHARACTER_BYTES = 3;

/** The parameters of NODES_WITH_FEEDS. */
interface PartParameters {
  readonly bytes: unknown;
  readonly characterBytes: number;
}

/**
 * Adds nodes to a page, statement by statement. Each statement reads as many as the budget seems to
 * allow, judging by the texts read before.
 */
function createPageBuilder(budget: ByteBudget) {
  const seen = { characters: 0, bytes: 0 };
  return {
    /** The next statement reads at least one node, even if only to find the budget exhausted. */
    parameters: (): PartParameters => ({
      bytes: integer(Math.max(1, budget.leftBytes())),
      characterBytes: seen.characters === 0 ? UNSEEN_CHARACTER_BYTES : seen.bytes / seen.characters,
    }),
    /** Adds at most `limit` nodes of a statement to the page, up to the first that exceeds the budget. */
    add(answer: readonly object[], limit: number) {
      const parts = answer as readonly NodesRow[];
      const nodes: NodeWithFeeds[] = [];
      const found = parts[0]?.found ?? 0;
      for (const { nodes: values, rows } of parts) {
        for (let at = 0; at < values.length && nodes.length < limit; at++) {
          const read = nodeWithFeedsOf(values[at] as NodeValues, rows[at] as FeedRows);
          // Deleted while the statement ran; a later statement skips it.
          if (read.node.id === null) continue;
          const { characters, bytes } = textsOf(read.node);
          if (!budget.take(NODE_BYTES + ROOT_BYTES * read.feeds.length + bytes)) return { nodes, found, isFull: true };
          seen.characters += characters;
          seen.bytes += bytes;
          nodes.push(read);
        }
      }
      return { nodes, found, isFull: false };
    },
  };
}

/** The nodes of a window. */
export interface NodePage extends PagePart {
  /** The last consumed node; null if there was none. */
  readonly last: string | null;
  /** Whether more follow, past the limit or the byte budget. */
  readonly hasMore: boolean;
}

/** The parameters of a statement that pages nodes by their ids: NODES_WITH_FEEDS over at most `limit`. */
export interface NodePageParameters extends PartParameters {
  readonly after: string;
  readonly skip: unknown;
  readonly limit: unknown;
}

/** At most `limit` nodes within the budget, in the order of a statement that `read` runs. */
export async function readNodePage(
  read: (parameters: NodePageParameters) => Promise<readonly object[]>,
  window: PageWindow,
  budget: ByteBudget,
): Promise<NodePage> {
  const builder = createPageBuilder(budget);
  const nodes: NodeWithFeeds[] = [];
  let [last, skip] = [null as string | null, window.skip];
  for (;;) {
    // One more shows whether there is a next page.
    const limit = Math.min(window.limit - nodes.length, NODES_AT_ONCE - 1);
    const bounds = { after: last ?? window.after, skip: integer(skip), limit: integer(limit + 1) };
    const part = builder.add(await read({ ...bounds, ...builder.parameters() }), limit);
    nodes.push(...part.nodes);
    last = part.nodes.at(-1)?.node.id ?? last;
    // Until a node was read, the next statement begins at the same place.
    if (last !== null) skip = 0;
    const isEnd = !part.isFull && part.nodes.length === part.found;
    if (isEnd || part.isFull || nodes.length === window.limit) {
      return { nodes, consumed: nodes.length, last, hasMore: !isEnd };
    }
  }
}

/**
 * Active nodes by id, in that order, within the budget; missing ones are omitted. If they have no
 * descriptions, these are empty, and take nothing of the budget.
 */
export async function readNodesWithFeeds(
  database: Database,
  ids: readonly string[],
  budget: ByteBudget,
  { hasDescriptions = true }: { readonly hasDescriptions?: boolean } = {},
): Promise<PagePart> {
  const statement = hasDescriptions ? READ_NODES_WITH_FEEDS : READ_NODES_WITHOUT_DESCRIPTIONS;
  const builder = createPageBuilder(budget);
  const nodes: NodeWithFeeds[] = [];
  let consumed = 0;
  while (consumed < ids.length) {
    const chunk = ids.slice(consumed, consumed + NODES_AT_ONCE);
    const rows = await database.read(statement, { ids: chunk, ...builder.parameters() });
    const part = builder.add(rows, chunk.length);
    nodes.push(...part.nodes);
    const isWhole = !part.isFull && part.nodes.length === part.found;
    // '' if no node was read; then no id was consumed.
    const last = part.nodes.at(-1)?.node.id ?? '';
    consumed += isWhole ? chunk.length : chunk.lastIndexOf(last) + 1;
    if (part.isFull) break;
  }
  return { nodes, consumed };
}

/**
 * How many characters the texts of a node have with their quotes, and how many bytes they take in
 * an answer.
 */
function textsOf(node: ShownNode): { characters: number; bytes: number } {
  let [characters, bytes] = [0, 0];
  for (const text of textsIn(node)) {
    characters += text.length + 2;
    bytes += textBytes(text);
  }
  return { characters, bytes };
}

/** The share roots that a node belongs to, by id (ACL2). */
export function shareRootsOf({ feeds }: Pick<NodeWithFeeds, 'feeds'>): string[] {
  const roots = feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed);
  return [...new Set(roots)].sort();
}
