// Nodes in full, each with where it belongs: what a view of them needs. Rules: ACL1, ACL2.
import type { NodeState } from '@taskgraph/domain/state';
import { subjectOfFeed } from '@taskgraph/wire/messages';
import { decodeNode } from './codec.ts';
import type { Database, Row } from './database.ts';

/** A node with its rows; those of roots that are none any more are left out. */
export interface PlacedNode {
  readonly node: NodeState;
  readonly feeds: readonly string[];
}

/**
 * In: ids. Out: node, feeds; no row for what does not exist or is in the trash. Locks: none. Cost: one index look-up each, and their rows.
 *
 * The rows are read after the fields: a node that leaves a branch meanwhile is not shown with what was written to it afterwards.
 */
const READ_PLACED_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id}) WHERE n.inTrash = false
WITH n, properties(n) AS node
RETURN node, [(n)-[row:IN]->(f:Feed) WHERE row.feed STARTS WITH 'user:' OR f.grants > 0 OR f.public | row.feed] AS feeds`;

/** Active nodes by their ids, in the order of their ids; others are left out. */
export async function readPlacedNodes(database: Database, ids: readonly string[]): Promise<PlacedNode[]> {
  if (ids.length === 0) return [];
  const rows = await database.read(READ_PLACED_NODES, { ids: [...ids] });
  return rows.map(decodePlacedNode).sort((one, other) => (one.node.id < other.node.id ? -1 : 1));
}

export function decodePlacedNode({ node, feeds }: Row): PlacedNode {
  return { node: decodeNode(node), feeds: feeds as string[] };
}

/** The share roots that a node belongs to, by id (ACL2). */
export function shareRootsOf({ feeds }: Pick<PlacedNode, 'feeds'>): string[] {
  const roots = feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed);
  return [...new Set(roots)].sort();
}
