// Ends of grants and publications, for jobs that must not miss any. Rules: ACL5, PUB2, NODE3.
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * The position after a page: the end of its last row, and a key or id that distinguishes rows with
 * the same end.
 */
interface PageEnd {
  readonly due: string;
  readonly key: string;
}

/** A page of ends, soonest first; `next` is null on the last one. */
export interface ExpirationsPage {
  readonly expirations: readonly Expiration[];
  readonly next: PageEnd | null;
}

const START: PageEnd = { due: '', key: '' };

/**
 * In: until (timestamp), after (due, key), limit. Out: nodeId, due, key of grants that end by then,
 * soonest first. Locks: none. Cost: the results, and the copies among them, by the index's order.
 *
 * A copy ends in the batch of its original. The condition is a CASE: an OR would be planned as two
 * look-ups, which lose the order.
 */
const LIST_GRANT_EXPIRATIONS = `
MATCH ()-[g:GRANT]->() USING INDEX SEEK g:GRANT(due, key)
WHERE g.due >= $after.due AND g.due <= $until AND g.key > ''
  AND CASE WHEN g.due = $after.due THEN g.key > $after.key ELSE true END
  AND g.copyOf IS NULL
RETURN g.nodeId AS nodeId, g.due AS due, g.key AS key
ORDER BY g.due, g.key LIMIT $limit`;

/**
 * In: until (timestamp), after (due, key), limit. Out: like LIST_GRANT_EXPIRATIONS, of
 * publications. Locks: none. Cost: the results.
 */
const LIST_PUBLICATION_EXPIRATIONS = `
MATCH (n:Node) USING INDEX SEEK n:Node(publicDue, id)
WHERE n.publicDue >= $after.due AND n.publicDue <= $until AND n.id > ''
  AND CASE WHEN n.publicDue = $after.due THEN n.id > $after.key ELSE true END
RETURN n.id AS nodeId, n.publicDue AS due, n.id AS key
ORDER BY n.publicDue, n.id LIMIT $limit`;

/**
 * In: id (of a node), until (timestamp). Out: over, whether a grant on it or its publication ends
 * by then. Locks: none. Cost: the grants on the node.
 */
const IS_OVER = `
MATCH (n:Node {id: $id})
RETURN coalesce(n.publicDue <= $until, false) OR EXISTS { (n)<-[g:GRANT]-() WHERE g.due <= $until AND g.copyOf IS NULL } AS over`;

/** Ends of grants or publications by `until` (ISO 8601). `limit`: maximum rows of the page. */
export async function listExpirations(
  database: Database,
  kind: 'grants' | 'publications',
  { until, after, limit }: { readonly until: string; readonly after: PageEnd | null; readonly limit: number },
): Promise<ExpirationsPage> {
  const statement = kind === 'grants' ? LIST_GRANT_EXPIRATIONS : LIST_PUBLICATION_EXPIRATIONS;
  const rows = await database.read(statement, { until, after: { ...(after ?? START) }, limit: integer(limit) });
  const last = rows.at(-1) as unknown as PageEnd | undefined;
  return {
    expirations: rows.map(({ nodeId, due }) => ({ nodeId: nodeId as string, due: due as string })),
    next: last === undefined || rows.length < limit ? null : { due: last.due, key: last.key },
  };
}

/** Whether a node still has a grant or publication whose time ended by `until`. */
export async function isOver(database: Database, nodeId: string, until: string): Promise<boolean> {
  const [row] = await database.read(IS_OVER, { id: nodeId, until });
  return row?.over === true;
}
