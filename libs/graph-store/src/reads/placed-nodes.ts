// Nodes in full, each with where it belongs: what a view of them needs. Rules: ACL1, ACL2, GEN11.
import type { NodeState } from '@taskgraph/domain/state/state';
import { subjectOfFeed } from '@taskgraph/wire/messages';
import { decodeNode, integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { type PageRoom, textBytes } from './page-room.ts';

/** A node with its rows; those of roots that are none any more are left out. */
export interface PlacedNode {
  readonly node: NodeState;
  readonly feeds: readonly string[];
}

/** Most nodes that one statement reads. */
export const NODES_AT_ONCE = 1_024;

/** What a node is shown with besides its own texts and its roots, and what a root's id takes: about so many bytes. */
const NODE_BYTES = 650;
const ROOT_BYTES = 40;

/** In a statement: about how many characters a node `n` and its rows have. */
const WEIGHT = `coalesce(size(n.title), 0) + coalesce(size(n.description), 0) + ${ROOT_BYTES} * COUNT { (n)-[:IN]->() }
  + reduce(sum = 0, text IN coalesce(n.tags, []) + coalesce(n.assignee, []) | sum + size(text))`;

/**
 * What a statement gives of an active node `n`; it begins with a WITH, so that it does not end an order. In: small (characters).
 * Out: id, weight, node and feeds (both null where it is heavier).
 *
 * The rows are read after the fields: a node that leaves a branch meanwhile is not shown with what was written to it afterwards.
 */
export const PLACED_NODE = `
WITH n, ${WEIGHT} AS weight
WITH n, weight, CASE WHEN weight <= $small THEN properties(n) END AS node
RETURN n.id AS id, weight, node, CASE WHEN node IS NOT NULL
  THEN [(n)-[row:IN]->(f:Feed) WHERE row.feed STARTS WITH 'user:' OR f.grants > 0 OR f.public | row.feed] END AS feeds`;

/**
 * The parameter of PLACED_NODE: how many characters a node may have that is read at once with so many others that all are about as long as
 * what is left of the page. Heavier ones are read by a statement of their own, as many as still fit.
 */
export function smallFor(room: PageRoom) {
  return { small: integer(Math.floor(room.leftBytes() / NODES_AT_ONCE)) };
}

const WHOLE = { small: integer(Number.MAX_SAFE_INTEGER) };

/**
 * In: ids, small. Out: see PLACED_NODE; no row for what does not exist or is in the trash. Locks: none. Cost: one index look-up each, and
 * their rows.
 */
const READ_PLACED_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id}) WHERE n.inTrash = false${PLACED_NODE}`;

/** A node as PLACED_NODE gives it. */
export interface WeighedRow {
  readonly id: string;
  readonly weight: number;
  readonly node: Row | null;
  readonly feeds: readonly string[] | null;
}

/** Nodes of a page. */
export interface Filled {
  readonly nodes: readonly PlacedNode[];
  /** How many of the ids the page got past: all, or those that there was room for. What is not there any more counts too. */
  readonly passed: number;
}

/** Active nodes by their ids, in that order, as many as there is room for; those that are not there are left out. */
export async function readPlacedNodes(database: Database, ids: readonly string[], room: PageRoom): Promise<Filled> {
  const nodes: PlacedNode[] = [];
  for (let from = 0; from < ids.length; from += NODES_AT_ONCE) {
    const some = ids.slice(from, from + NODES_AT_ONCE);
    const rows = (await database.read(READ_PLACED_NODES, { ids: some, ...smallFor(room) })) as unknown as WeighedRow[];
    const found = new Map(rows.map((row) => [row.id, row]));
    const filled = await fillPage(
      database,
      some.map((id) => found.get(id) ?? { id, weight: 0, node: null, feeds: null }),
      room,
    );
    nodes.push(...filled.nodes);
    if (filled.passed < some.length) return { nodes, passed: from + filled.passed };
  }
  return { nodes, passed: ids.length };
}

/** Puts nodes into a page, in their order. Heavy ones are fetched when their turn comes: no more at once than the page could still take. */
export async function fillPage(database: Database, rows: readonly WeighedRow[], room: PageRoom): Promise<Filled> {
  const nodes: PlacedNode[] = [];
  let fetched = new Map<string, PlacedNode>();
  for (const [index, row] of rows.entries()) {
    const isHeavy = row.node === null && row.weight > 0;
    if (isHeavy && !fetched.has(row.id)) fetched = await fetchHeavy(database, rows.slice(index), room.leftBytes());
    const placed = isHeavy ? fetched.get(row.id) : decodePlacedNode(row);
    // It went while the page was read.
    if (placed === undefined) continue;
    if (!room.take(bytesOf(placed))) return { nodes, passed: index };
    nodes.push(placed);
  }
  return { nodes, passed: rows.length };
}

/** The first of these that are heavy, as many as have so many characters together; at least one. */
async function fetchHeavy(
  database: Database,
  rows: readonly WeighedRow[],
  characters: number,
): Promise<Map<string, PlacedNode>> {
  const ids: string[] = [];
  let left = characters;
  for (const { id, weight, node } of rows) {
    if (node !== null || weight === 0) continue;
    left -= weight;
    if (ids.length > 0 && left < 0) break;
    ids.push(id);
  }
  const found = (await database.read(READ_PLACED_NODES, { ids, ...WHOLE })) as unknown as WeighedRow[];
  return new Map(found.map((row) => [row.id, decodePlacedNode(row) as PlacedNode]));
}

function decodePlacedNode({ node, feeds }: WeighedRow): PlacedNode | undefined {
  return node === null ? undefined : { node: decodeNode(node), feeds: feeds ?? [] };
}

/** About how many bytes a node takes in an answer. */
function bytesOf({ node, feeds }: PlacedNode): number {
  const { title, description, tags, assignee } = node;
  const texts = [title, description, ...tags, ...assignee];
  return texts.reduce((sum, text) => sum + textBytes(text), NODE_BYTES + ROOT_BYTES * feeds.length);
}

/** The share roots that a node belongs to, by id (ACL2). */
export function shareRootsOf({ feeds }: Pick<PlacedNode, 'feeds'>): string[] {
  const roots = feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed);
  return [...new Set(roots)].sort();
}
