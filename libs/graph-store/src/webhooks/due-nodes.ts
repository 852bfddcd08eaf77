// The nodes whose due dates are in a range, in order of date and id, for webhooks. Rules: HOOK5, HOOK6.
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * In: first (time, after and most: ids), between (after and before: times), last (time or null, and most: an id), to
 * (time and id of the last position), settled (time), reader (user id), feeds (names), completed (status), limit. Out: examined (how
 * many nodes of all users are in the range, up to the limit), last: time and id of the last one that has not changed
 * since `settled` (or null), found: time and id of the active, open ones that are the reader's or in one of the feeds.
 * Locks: none. Cost: three times the limit, and the memberships of the nodes of others.
 *
 * A seek of its own for the nodes with the first date, and for those with the last one: any number of nodes may have
 * the same date. The condition on the owner is inside of a list: an OR would be planned as two look-ups, which lose
 * the order.
 *
 * A date may change between the seek and the read of the date. Such a node is edited after `settled`, and its new date
 * may be behind nodes that the seek has not reached, or out of the range.
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
WITH n, n.dueDate AS time, n.id AS id ORDER BY time, id LIMIT $limit
WITH time, id, coalesce(n.lastEditedTime <= $settled, true) AS isUnchanged,
  [node IN [n] WHERE node.inTrash = false AND node.status <> $completed
    AND (node.ownerId = $reader OR EXISTS { (node)-[row:IN]->() WHERE row.feed IN $feeds })] AS seen
WITH collect([time, id, isUnchanged, size(seen) > 0]) AS rows
WITH size(rows) AS examined,
  [row IN rows WHERE (row[0] > $first.time OR (row[0] = $first.time AND row[1] > $first.after))
    AND (row[0] < $to.time OR (row[0] = $to.time AND row[1] <= $to.id))] AS page
RETURN examined, [row IN page WHERE row[2] | row[0..2]][-1] AS last, [row IN page WHERE row[3] | row[0..2]] AS found`;

/** Behind all ids. */
const END_OF_IDS = '~';

/** A range of due dates, and who may see its nodes. */
interface DueRange {
  readonly after: DuePosition;
  /** The last position. */
  readonly to: DuePosition;
  /** All changes up to this time are stored, ISO 8601. */
  readonly settled: string;
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

/** The due nodes in the first part of a range. Throws if other users change all of their dates meanwhile. */
export async function listDueNodes(
  database: Database,
  { readerId: reader, feeds, limit, after, to, settled }: DueRange,
): Promise<DueNodes> {
  const isOneDate = after.time === to.time;
  const range = {
    first: { time: after.time, after: after.id, most: isOneDate ? to.id : END_OF_IDS },
    between: { after: after.time, before: to.time },
    last: { time: isOneDate ? null : to.time, most: to.id },
  };
  const bounds = { completed: integer(Status.COMPLETED), limit: integer(limit), settled };
  const [row] = await database.read(LIST_DUE_NODES, { ...range, to: { ...to }, reader, feeds: [...feeds], ...bounds });
  const [found, last] = [row?.found ?? [], row?.last ?? null] as [StoredPosition[], StoredPosition | null];
  const isEnded = row?.examined !== limit;
  if (!isEnded && last === null) throw new Error('all dates of a range changed while they were read');
  if (isEnded || last === null) return { found: found.map(positionOf), last: null };
  // A node behind the last position has changed: the next page has it, unless its date is out of the range.
  return { found: found.filter((one) => !isAfter(one, last)).map(positionOf), last: positionOf(last) };
}

type StoredPosition = readonly [time: string, id: string];

function isAfter([time, id]: StoredPosition, [lastTime, lastId]: StoredPosition): boolean {
  return time > lastTime || (time === lastTime && id > lastId);
}

function positionOf([time, id]: StoredPosition): DuePosition {
  return { time, id };
}
