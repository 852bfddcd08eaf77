// Nodes in full, each with where it belongs: what a view of them needs. Rules: ACL1, ACL2, GEN11.
import { compileLister, compileMaker } from '@taskgraph/domain/state/object-maker';
import type { ShownNode } from '@taskgraph/domain/views/view';
import { namesWhere } from '@taskgraph/wire/field-table';
import { subjectOfFeed } from '@taskgraph/wire/messages';
import { NODE_FIELDS, VIEWED_NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { integer } from '../driver/codec.ts';
import { wrapped } from '../driver/columns.ts';
import type { Database } from '../driver/database.ts';
import { IS_LIVE } from '../driver/statement-parts.ts';
import { type PageRoom, textBytes } from './page-byte-limit.ts';

/** A node with its rows; those of roots that are none any more are left out. */
export interface PlacedNode {
  readonly node: ShownNode;
  readonly feeds: readonly string[];
  /** The owners of all feeds that it has a row of, roots that are none any more included: they may be some again. */
  readonly feedOwners: readonly string[];
}

/** Most nodes that one statement reads. */
export const NODES_AT_ONCE = 1_024;

/** The size of a node without its own texts and its roots, and of a root's id: about so many bytes. */
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

/** In a statement: about how many bytes a node `n` and its rows take in an answer. */
const WEIGHT = `${NODE_BYTES} + ${ROOT_BYTES} * COUNT { (n)-[:IN]->() }
  + $characterBytes * (${TEXT_LENGTH}
    + reduce(sum = 0, text IN ${LISTED_TEXTS} | sum + size(text)))`;

/**
 * The rows of a statement for active nodes `n`, in their order. In: bytes (for how many nodes are read), characterBytes (what a character takes).
 * Out: id, node (its values alone: names would cost as much to send) and rows (of each the feed, null where nobody reads it, and its owner), both null from the
 * first on that there is no room for. Locks: none. Cost: what is given whole, and one node more.
 *
 * The server reads a text to know how long it is: so nodes are weighed one after the other, and none past the room. The rows are read after
 * the fields: a node that leaves a branch meanwhile is not shown with what was written to it afterwards.
 */
export const PLACED_NODES = `
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
 * In: ids, bytes, characterBytes. Out: see PLACED_NODES; no row for what does not exist or is in the trash. Locks: none. Cost: one index
 * look-up each, and what is given whole.
 */
const READ_PLACED_NODES = `
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Node {id: $ids[place]}) WHERE n.inTrash = false
WITH n ORDER BY place${PLACED_NODES}`;

/** A node as PLACED_NODES gives it. */
export interface PlacedRow {
  readonly id: string;
  readonly node: NodeValues | null;
  readonly rows: readonly (readonly [feed: string | null, ownerId: string])[] | null;
}

function placedNodeOf(values: NodeValues, rows: NonNullable<PlacedRow['rows']>): PlacedNode {
  return {
    node: nodeOf(values),
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
export interface Filled {
  readonly nodes: readonly PlacedNode[];
  /** How many of the ids the page got past: all, or those that there was room for. Nodes that are not there any more count too. */
  readonly passed: number;
}

/** The bytes of a character until some were seen; few take more. */
const UNSEEN_CHARACTER_BYTES = 3;

/** Fills a page with nodes, statement by statement: each asks for as many as there seems to be room for, going by those that came before. */
export function createFilling(room: PageRoom) {
  const seen = { characters: 0, bytes: 0 };
  return {
    /** The parameters of PLACED_NODES. One node at least is read, be it to find that there is no room for it. */
    wanted: () => ({
      bytes: integer(Math.max(1, room.leftBytes())),
      characterBytes: seen.characters === 0 ? UNSEEN_CHARACTER_BYTES : seen.bytes / seen.characters,
    }),
    /** Puts rows into the page, in their order, up to the first that was not read or that there is no room for. */
    put(rows: readonly (PlacedRow | undefined)[]): Filled & { readonly isFull: boolean } {
      const nodes: PlacedNode[] = [];
      for (const [passed, row] of rows.entries()) {
        if (row === undefined) continue;
        if (row.node === null) return { nodes, passed, isFull: false };
        const placed = placedNodeOf(row.node, row.rows ?? []);
        const { characters, bytes } = textsOf(placed.node);
        if (!room.take(NODE_BYTES + ROOT_BYTES * placed.feeds.length + bytes)) return { nodes, passed, isFull: true };
        seen.characters += characters;
        seen.bytes += bytes;
        nodes.push(placed);
      }
      return { nodes, passed: rows.length, isFull: false };
    },
  };
}

/** Active nodes by their ids, in that order, as many as there is room for; those that are not there are left out. */
export async function readPlacedNodes(database: Database, ids: readonly string[], room: PageRoom): Promise<Filled> {
  const filling = createFilling(room);
  const nodes: PlacedNode[] = [];
  let passed = 0;
  while (passed < ids.length) {
    const some = ids.slice(passed, passed + NODES_AT_ONCE);
    const rows = await database.read(READ_PLACED_NODES, { ids: some, ...filling.wanted() });
    const found = new Map((rows as unknown as PlacedRow[]).map((row) => [row.id, row]));
    const filled = filling.put(some.map((id) => found.get(id)));
    nodes.push(...filled.nodes);
    passed += filled.passed;
    if (filled.isFull) break;
  }
  return { nodes, passed };
}

/** How many characters the texts of a node have with their quotes, and how many bytes they take in an answer. */
function textsOf(node: ShownNode): { characters: number; bytes: number } {
  let [characters, bytes] = [0, 0];
  for (const text of textsIn(node)) {
    characters += text.length + 2;
    bytes += textBytes(text);
  }
  return { characters, bytes };
}

/** The share roots that a node belongs to, by id (ACL2). */
export function shareRootsOf({ feeds }: Pick<PlacedNode, 'feeds'>): string[] {
  const roots = feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed);
  return [...new Set(roots)].sort();
}
