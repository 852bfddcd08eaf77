// Full nodes with their memberships, for views. Rules: ACL1, ACL2, GEN11.
import type { ShownNode } from '@taskgraph/domain/views/view';
import { subjectOfFeed } from '@taskgraph/wire/messages';
import { integer } from '../driver/codec.ts';
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

type ValuesOf<Columns extends readonly (keyof ShownNode)[]> = {
  readonly [At in keyof Columns]: ShownNode[Columns[At]];
};

/**
 * The values of a node in the order of NODES_WITH_FEEDS: a missing field does not compile in
 * `nodeOf`.
 */
type NodeValues = ValuesOf<
  [
    ...['id', 'ownerId', 'title', 'description', 'status', 'dueDate', 'type', 'tags', 'priority', 'independent'],
    ...['volume', 'version', 'assignee', 'createdTime', 'lastEditedTime', 'x', 'y', 'z', 'pinned', 'collapsed'],
    ...['publicToken', 'publicDue', 'publicBranch', 'inTrash', 'lastBatchID'],
  ]
>;

/** In a statement: approximate bytes of a node `n` and its rows in an answer. */
const WEIGHT = `${NODE_BYTES} + ${ROOT_BYTES} * COUNT { (n)-[:IN]->() }
  + $characterBytes * (coalesce(size(n.title), 0) + coalesce(size(n.description), 0)
    + reduce(sum = 0, text IN coalesce(n.tags, []) + coalesce(n.assignee, []) | sum + size(text)))`;

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
    p.id, p.ownerId, p.title, p.description, p.status, p.dueDate, p.type, p.tags, p.priority, p.independent,
    p.volume, p.version, p.assignee, p.createdTime, p.lastEditedTime, p.x, p.y, p.z, p.pinned, p.collapsed,
    p.publicToken, p.publicDue, p.publicBranch, p.inTrash, p.lastBatchID
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
    node: nodeOf(values),
    feeds: rows.length === 0 ? NONE : rows.map(([feed]) => feed).filter((feed) => feed !== null),
    feedOwners: rows.length === 0 ? NONE : rows.map(([, ownerId]) => ownerId),
  };
}

/**
 * Field by field, so that all nodes have the same shape, which makes every pass over a page much
 * faster.
 */
function nodeOf(values: NodeValues): ShownNode {
  return {
    id: values[0],
    ownerId: values[1],
    title: values[2],
    description: values[3],
    status: values[4],
    dueDate: values[5],
    type: values[6],
    tags: values[7],
    priority: values[8],
    independent: values[9],
    volume: values[10],
    version: values[11],
    assignee: values[12],
    createdTime: values[13],
    lastEditedTime: values[14],
    x: values[15],
    y: values[16],
    z: values[17],
    pinned: values[18],
    collapsed: values[19],
    publicToken: values[20],
    publicDue: values[21],
    publicBranch: values[22],
    inTrash: values[23],
    lastBatchID: values[24],
  };
}

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

/** The characters of a node's texts with their quotes, and their bytes in an answer. */
function textsOf({ title, description, tags, assignee }: ShownNode): { characters: number; bytes: number } {
  let [characters, bytes] = [0, 0];
  for (const text of [title, description, ...tags, ...assignee]) {
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
