// The nodes whose due dates are in a range, in order of date and id, for webhooks. Rules: HOOK5, HOOK6.
import type { DuePlace } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * In: after, to (places: time and id), reader (user id), feeds (names), completed (status), limit. Out: examined
 * (how many nodes of all users are in the range, up to the limit), time and id (of the last one), found: time and
 * id of the active, open ones among them that are the reader's or in one of the feeds. Locks: none. Cost: the
 * limit, the nodes with the date of `after`, and the memberships of the nodes of others.
 *
 * The conditions are CASEs: an OR would be planned as two look-ups, which lose the order.
 */
const LIST_DUE_NODES = `
MATCH (n:Node) USING INDEX SEEK n:Node(dueDate, id)
WHERE n.dueDate >= $after.time AND n.dueDate <= $to.time AND n.id > ''
  AND CASE WHEN n.dueDate = $after.time THEN n.id > $after.id ELSE true END
  AND CASE WHEN n.dueDate = $to.time THEN n.id <= $to.id ELSE true END
WITH n ORDER BY n.dueDate, n.id LIMIT $limit
WITH collect(n) AS page
RETURN size(page) AS examined, page[-1].dueDate AS time, page[-1].id AS id,
  [n IN page WHERE n.inTrash = false AND n.status <> $completed
    AND (n.ownerId = $reader OR EXISTS { (n)-[row:IN]->() WHERE row.feed IN $feeds }) | [n.dueDate, n.id]] AS found`;

/** A range of due dates, and who may see its nodes. */
interface DueRange {
  readonly after: DuePlace;
  /** The last place. */
  readonly to: DuePlace;
  readonly readerId: string;
  /** The reader's feeds. */
  readonly feeds: readonly string[];
  /** Maximum nodes of all users to examine. */
  readonly limit: number;
}

interface DueNodes {
  /** The places of open nodes that the reader may see. The caller checks the access. */
  readonly found: readonly DuePlace[];
  /** The last examined place; null if the range has no further nodes. */
  readonly last: DuePlace | null;
}

/** The due nodes in the first part of a range. */
export async function listDueNodes(
  database: Database,
  { readerId: reader, feeds, limit, ...range }: DueRange,
): Promise<DueNodes> {
  const bounds = { completed: integer(Status.COMPLETED), limit: integer(limit) };
  const [row] = await database.read(LIST_DUE_NODES, { ...range, reader, feeds: [...feeds], ...bounds });
  const found = (row?.found ?? []) as readonly (readonly [time: string, id: string])[];
  return {
    found: found.map(([time, id]) => ({ time, id })),
    last: row?.examined === limit ? { time: row.time as string, id: row.id as string } : null,
  };
}
