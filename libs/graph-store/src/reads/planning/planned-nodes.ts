// Nodes as far as a plan asks, each with what it blocks. Rules: PLAN1, PLAN6, LNK9.
import type { PlanNode } from '@taskgraph/domain/plan/plan';
import { integer } from '../../driver/codec.ts';
import type { Database, Row } from '../../driver/database.ts';
import { type Membership, readVisibleIds } from '../visible-ids.ts';

/** Most nodes of a plan (PLAN6). */
export const MAXIMUM_PLANNED = 20_000;

/** Most nodes that one statement looks up by their ids. */
const IDS_AT_ONCE = 5_000;
/** Rows that travel together: while they are taken, the server finds the next. */
const ROWS_AT_ONCE = 2_000;

/** A node with what it blocks. */
export interface PlannedNode extends PlanNode {
  /** The targets of its active primary links, without those of private links of others. */
  readonly blocks: readonly string[];
}

/**
 * In: n, id; reader (id). Out: node (a list of values), of which the last is the target of an active primary link: a row for each of them, or one
 * with null. Locks: none. Cost: the primary links that leave the node; lists of targets would take a fifth more time.
 */
const ROWS = `
OPTIONAL MATCH (n)-[r:BLOCKS]->(b) WHERE r.private = false OR r.ownerId = $reader
RETURN [id, n.status, n.volume, n.independent, n.priority, n.dueDate, b.id] AS node`;

/**
 * In: feed, most, reader (id). Out: see ROWS, of the first active members. Locks: none. Cost: their number, by the index's order, and the links
 * that leave them.
 */
const MEMBERS = `
MATCH (n:Node)-[row:IN]->(:Feed)
USING INDEX row:IN(feed, id)
WHERE row.feed = $feed AND row.id > '' AND n.inTrash = false
WITH n, row, row.id AS id ORDER BY row.feed, row.id LIMIT $most${ROWS}`;

/** In: owner, most, reader (id). Out: see ROWS, of the owner's first active nodes. Locks: none. Cost: as MEMBERS. */
const OWN = `
MATCH (n:Node)
USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > ''
WITH n, n.id AS id ORDER BY n.ownerId, n.inTrash, n.id LIMIT $most${ROWS}`;

/**
 * In: ids, listed (whether all that exist are wanted), owner (id or ''), feeds, reader (id). Out: see ROWS; without what is in the trash, or
 * neither the owner's nor a member of one of the feeds, where these are asked for. Locks: none. Cost: one index look-up each, their rows, and the
 * links that leave them.
 */
const LISTED = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
WHERE n.inTrash = false
  AND ($listed OR n.ownerId = $owner OR EXISTS { (n)-[row:IN]->() WHERE row.feed IN $feeds })${ROWS}`;

/** The active nodes of a membership, or of a list of ids, as their reader sees them; null where they are more than a plan may have. */
export async function readPlannedNodes(
  database: Database,
  scope: Membership | readonly string[],
  readerId: string,
): Promise<PlannedNode[] | null> {
  const nodes = new Map<string, Planned>();
  for await (const rows of statementsFor(database, scope, readerId)) {
    if (rows === null) return null;
    for await (const row of rows) addTo(nodes, row.node as Values);
    if (nodes.size > MAXIMUM_PLANNED) return null;
  }
  return [...nodes.values()];
}

/** The rows of each statement that it takes; null where it is known before that they are too many. */
async function* statementsFor(
  database: Database,
  scope: Membership | readonly string[],
  readerId: string,
): AsyncIterable<AsyncIterable<Row> | null> {
  const reader = readerId;
  const most = integer(MAXIMUM_PLANNED + 1);
  const { ownerId, feeds } = isList(scope) ? { ownerId: null, feeds: [] } : scope;
  const [feed, ...others] = feeds;
  if (ownerId !== null && feed === undefined)
    return yield database.readRows(OWN, { owner: ownerId, most, reader }, ROWS_AT_ONCE);
  if (ownerId === null && feed !== undefined && others.length === 0)
    return yield database.readRows(MEMBERS, { feed, most, reader }, ROWS_AT_ONCE);
  // Several sources overlap, and are merged by id before anything is read of the nodes.
  const listed = isList(scope);
  const ids = listed ? scope : await readVisibleIds(database, scope, { after: '', count: MAXIMUM_PLANNED + 1 });
  if (ids.length > MAXIMUM_PLANNED) return yield null;
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    const some = ids.slice(start, start + IDS_AT_ONCE);
    const parameters = { ids: some, listed, owner: ownerId ?? '', feeds: [...feeds], reader };
    yield database.readRows(LISTED, parameters, ROWS_AT_ONCE);
  }
}

function isList(scope: Membership | readonly string[]): scope is readonly string[] {
  return Array.isArray(scope);
}

type Values = [string, PlanNode['status'], number, boolean, number, string | null, string | null];
type Planned = PlannedNode & { readonly blocks: string[] };

function addTo(
  nodes: Map<string, Planned>,
  [id, status, volume, independent, priority, dueDate, target]: Values,
): void {
  let node = nodes.get(id);
  if (node === undefined) {
    node = { id, status, volume, independent, priority, dueDate, blocks: [] };
    nodes.set(id, node);
  }
  if (target !== null) node.blocks.push(target);
}

/** In: ids. Out: ids, counts, of one length. Locks: none. Cost: one index look-up each. */
const OPEN_BLOCKERS = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
RETURN collect(id) AS ids, collect(n.openBlockers) AS counts`;

/** How many nodes that are not completed each of some nodes waits for now, in sight or not. */
export async function readOpenBlockers(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const [row] = await database.read(OPEN_BLOCKERS, { ids: [...ids] });
  const { ids: found, counts } = row as unknown as { readonly ids: string[]; readonly counts: number[] };
  return new Map(found.map((id, index) => [id, counts[index] as number]));
}
