// The nodes whose due dates are in a range, in order of date and id, for webhooks. Rules: HOOK5, HOOK6.
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * In: first (time, after and most: ids), between (after and before: times), last (time or null, and most: an id),
 * reader (user id), feeds (names), completed (status), limit. Out: examined (how many nodes of all users are in the
 * range, up to the limit), time and id (of the last one), found: time and id of the active, open ones among them
 * that are the reader's or in one of the feeds. Locks: none. Cost: three times the limit, and the memberships of the
 * nodes of others.
 *
 * A seek of its own for the nodes with the first date, and for those with the last one: any number of nodes may have
 * the same date. The condition on the owner is inside of a list: an OR would be planned as two look-ups, which lose
 * the order.
 */
const LIST_DUE_NODES = `
CALL () {
  MATCH (n:Node) USING INDEX SEEK n:Node(dueDate, id)
  WHERE n.dueDate = $first.time AND n.id > $first.after AND n.id <= $first.most
  RETURN n ORDER BY n.dueDate, n.id LIMIT $limit
  UNION ALL
  MATCH (n:Node) USING INDEX SEEK n:Node(dueDate, id)
  WHERE n.dueDate > $between.after AND n.dueDate < $between.before AND n.id > ''
  RETURN n ORDER BY n.dueDate, n.id LIMIT $limit
  UNION ALL
  MATCH (n:Node) USING INDEX SEEK n:Node(dueDate, id)
  WHERE n.dueDate = $last.time AND n.id > '' AND n.id <= $last.most
  RETURN n ORDER BY n.dueDate, n.id LIMIT $limit
}
WITH n ORDER BY n.dueDate, n.id LIMIT $limit
WITH collect(n) AS page
RETURN size(page) AS examined, page[-1].dueDate AS time, page[-1].id AS id,
  [n IN page WHERE n.inTrash = false AND n.status <> $completed
    AND (n.ownerId = $reader OR EXISTS { (n)-[row:IN]->() WHERE row.feed IN $feeds }) | [n.dueDate, n.id]] AS found`;

/** Behind all ids. */
const END_OF_IDS = '~';

/** A range of due dates, and who may see its nodes. */
interface DueRange {
  readonly after: DuePosition;
  /** The last position. */
  readonly to: DuePosition;
  readonly readerId: string;
  /** The reader's feeds. */
  readonly feeds: readonly string[];
  /** Maximum nodes of all users to examine. */
  readonly limit: number;
}

interface DueNodes {
  /** The positions of open nodes that the reader may see. The caller checks the access. */
  readonly found: readonly DuePosition[];
  /** The last examined position; null if the range has no further nodes. */
  readonly last: DuePosition | null;
}

/** The due nodes in the first part of a range. */
export async function listDueNodes(
  database: Database,
  { readerId: reader, feeds, limit, after, to }: DueRange,
): Promise<DueNodes> {
  const isOneDate = after.time === to.time;
  const range = {
    first: { time: after.time, after: after.id, most: isOneDate ? to.id : END_OF_IDS },
    between: { after: after.time, before: to.time },
    last: { time: isOneDate ? null : to.time, most: to.id },
  };
  const bounds = { completed: integer(Status.COMPLETED), limit: integer(limit) };
  const [row] = await database.read(LIST_DUE_NODES, { ...range, reader, feeds: [...feeds], ...bounds });
  const found = (row?.found ?? []) as readonly (readonly [time: string, id: string])[];
  return {
    found: found.map(([time, id]) => ({ time, id })),
    last: row?.examined === limit ? { time: row.time as string, id: row.id as string } : null,
  };
}
