// Nodes in full, each with where it belongs: what a view of them needs. Rules: ACL1, ACL2, GEN11.
import { compileLister, compileMaker } from '@taskgraph/domain/state/object-maker';
import type { ShownNode } from '@taskgraph/domain/views/view';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS, VIEWED_NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { integer, withoutStaleTime } from '../driver/codec.ts';
import { wrapped } from '../driver/columns.ts';
import type { Database } from '../driver/database.ts';
import { IS_LIVE } from '../driver/statement-parts.ts';
import { type ByteBudget, textBytes } from './page-byte-limit.ts';

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
export const NODES_AT_ONCE = 1_024;

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
const TEXT_LENGTH = TEXTS.map((name) => `coalesce(size(n.${name}), 0)`).join(' + ');
const LISTED_TEXTS = LISTS.map((name) => `coalesce(n.${name}, [])`).join(' + ');

/** In a statement: approximate bytes of a node `n` and its rows in an answer. */
const WEIGHT = `${NODE_BYTES} + ${ROOT_BYTES} * COUNT { (n)-[:IN]->() }
  + $characterBytes * (${TEXT_LENGTH}
    + reduce(sum = 0, text IN ${LISTED_TEXTS} | sum + size(text)))`;

/**
 * The rows of a statement for active nodes `n`, in their order. In: bytes (the budget of nodes to
 * read), characterBytes (bytes of a character). Out: id, node (values only: field names would
 * double the message) and rows (the feed of each, null without readers, and its owner), both null
 * from the first node past the budget on. Locks: none. Cost: the full nodes returned, and one more.
 *
 * The server reads a text to measure it: so nodes are measured one by one, and none past the
 * budget. The rows are read after the fields: if a node leaves a branch during the read, later
 * writes to it must not be shown.
 */
export const NODES_WITH_FEEDS = `
WITH collect(n) AS found
WITH found, reduce(room = {left: $bytes, count: 0}, n IN found |
  CASE WHEN room.left <= 0 THEN room ELSE {left: room.left - (${WEIGHT}), count: room.count + 1} END).count AS fitting
UNWIND range(0, size(found) - 1) AS at
WITH found[at] AS n, at < fitting AS fits
WITH n, CASE WHEN fits THEN properties(n) END AS p
RETURN n.id AS id, CASE WHEN p IS NOT NULL THEN [
    ${COLUMNS}
  ] END AS node,
  CASE WHEN p IS NOT NULL THEN [(n)-[row:IN]->(f:Feed) |
    [CASE WHEN ${IS_LIVE} THEN row.feed END, f.ownerId]] END AS rows`;

/**
 * In: ids, bytes, characterBytes. Out: see NODES_WITH_FEEDS; no row for a missing or trashed node.
 * Locks: none. Cost: one index look-up each, and the full nodes returned.
 */
const READ_NODES_WITH_FEEDS = `
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Node {id: $ids[place]}) WHERE n.inTrash = false
WITH n ORDER BY place${NODES_WITH_FEEDS}`;

/** A node as NODES_WITH_FEEDS gives it. */
export interface NodeRow {
  readonly id: string;
  readonly node: NodeValues | null;
  readonly rows: readonly (readonly [feed: string | null, ownerId: string])[] | null;
}

function nodeWithFeedsOf(values: NodeValues, rows: NonNullable<NodeRow['rows']>): NodeWithFeeds {
  return {
    node: withoutStaleTime(nodeOf(values)),
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

/**
 * Fills a page with nodes, statement by statement. Each requests as many as the budget seems to
 * allow, judging by earlier ones.
 */
export function createPageBuilder(budget: ByteBudget) {
  const seen = { characters: 0, bytes: 0 };
  return {
    /**
     * The parameters of NODES_WITH_FEEDS. It reads at least one node, even if only to find the
     * budget exhausted.
     */
    wanted: () => ({
      bytes: integer(Math.max(1, budget.leftBytes())),
      characterBytes: seen.characters === 0 ? UNSEEN_CHARACTER_BYTES : seen.bytes / seen.characters,
    }),
    /** Adds rows to the page in order, up to the first that is unread or exceeds the budget. */
    put(rows: readonly (NodeRow | undefined)[]): PagePart & { readonly isFull: boolean } {
      const nodes: NodeWithFeeds[] = [];
      for (const [consumed, row] of rows.entries()) {
        if (row === undefined) continue;
        if (row.node === null) return { nodes, consumed, isFull: false };
        const placed = nodeWithFeedsOf(row.node, row.rows ?? []);
        const { characters, bytes } = textsOf(placed.node);
        if (!budget.take(NODE_BYTES + ROOT_BYTES * placed.feeds.length + bytes))
          return { nodes, consumed, isFull: true };
        seen.characters += characters;
        seen.bytes += bytes;
        nodes.push(placed);
      }
      return { nodes, consumed: rows.length, isFull: false };
    },
  };
}

/** Active nodes by id, in that order, within the budget; missing ones are omitted. */
export async function readNodesWithFeeds(
  database: Database,
  ids: readonly string[],
  budget: ByteBudget,
): Promise<PagePart> {
  const filling = createPageBuilder(budget);
  const nodes: NodeWithFeeds[] = [];
  let consumed = 0;
  while (consumed < ids.length) {
    const some = ids.slice(consumed, consumed + NODES_AT_ONCE);
    const rows = await database.read(READ_NODES_WITH_FEEDS, { ids: some, ...filling.wanted() });
    const found = new Map((rows as unknown as NodeRow[]).map((row) => [row.id, row]));
    const filled = filling.put(some.map((id) => found.get(id)));
    nodes.push(...filled.nodes);
    consumed += filled.consumed;
    if (filled.isFull) break;
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
