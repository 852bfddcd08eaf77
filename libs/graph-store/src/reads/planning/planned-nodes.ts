// Nodes as far as a plan asks, each with what it blocks. Rules: PLAN1, PLAN6, LNK9.
import type { PlanNode } from '@taskgraph/domain/plan/plan';
import type { Database } from '../../driver/database.ts';
import { type Membership, readVisibleIds } from '../visible-ids.ts';

/** Most nodes of a plan (PLAN6). */
export const MAXIMUM_PLANNED = 20_000;

/** Most nodes that one statement reads. */
const NODES_AT_ONCE = 2_000;

/** A node with what it blocks. */
export interface PlannedNode extends PlanNode {
  readonly ownerId: string;
  /** How many nodes that are not completed it waits for, in sight or not. */
  readonly openBlockers: number;
  /** The targets of its active primary links, without those of private links of others. */
  readonly blocks: readonly string[];
}

/**
 * In: ids, listed (whether all that exist are wanted), owner (id or ''), feeds, reader (id). Out: node, a list of values; no row for what is in the
 * trash, or neither the owner's nor a member of one of the feeds, where these are asked for. Locks: none. Cost: one index look-up each, their
 * rows, and the links that leave them.
 */
const PLANNED_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
WHERE n.inTrash = false
  AND ($listed OR n.ownerId = $owner OR EXISTS { (n)-[row:IN]->() WHERE row.feed IN $feeds })
RETURN [n.id, n.ownerId, n.status, n.volume, n.independent, n.priority, n.dueDate, n.openBlockers,
  [(n)-[r:BLOCKS]->(b:Node) WHERE CASE WHEN r.private THEN r.ownerId = $reader ELSE true END | b.id]] AS node`;

type Values = [string, string, PlanNode['status'], number, boolean, number, string | null, number, string[]];

/** The active nodes of a membership, or of a list of ids, as their reader sees them; null where they are more than a plan may have. */
export async function readPlannedNodes(
  database: Database,
  scope: Membership | readonly string[],
  readerId: string,
): Promise<PlannedNode[] | null> {
  const listed = isList(scope);
  const ids = listed ? scope : await readVisibleIds(database, scope, { after: '', count: MAXIMUM_PLANNED + 1 });
  if (ids.length > MAXIMUM_PLANNED) return null;
  const [owner, feeds] = listed ? ['', []] : [scope.ownerId ?? '', [...scope.feeds]];
  const nodes: PlannedNode[] = [];
  for (let start = 0; start < ids.length; start += NODES_AT_ONCE) {
    const some = ids.slice(start, start + NODES_AT_ONCE);
    const rows = await database.read(PLANNED_NODES, { ids: some, listed, owner, feeds, reader: readerId });
    for (const row of rows) nodes.push(plannedNodeOf(row.node as Values));
  }
  return nodes;
}

function isList(scope: Membership | readonly string[]): scope is readonly string[] {
  return Array.isArray(scope);
}

function plannedNodeOf(values: Values): PlannedNode {
  const [id, ownerId, status, volume, independent, priority, dueDate, openBlockers, blocks] = values;
  return { id, ownerId, status, volume, independent, priority, dueDate, openBlockers, blocks };
}
