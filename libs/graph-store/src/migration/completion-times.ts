// Reads times of completion from history, for nodes that a release without the field
// `completedTime` completed. Rule: BLK11.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { Status } from '@taskgraph/wire/codes';
import { type BatchSize, batchChunksOf } from '../driver/batch-chunks.ts';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { changeChunksOf } from '../driver/stored-changes.ts';

/** Nodes of one portion: one statement inspects them, and one transaction writes their times. */
const NODES_AT_ONCE = 1_000;

/**
 * The number of older touches of a node that each pass reads. Most nodes were completed by one of
 * their last changes. If none of these batches completed a node, its time stays unknown.
 */
const TOUCHES_BY_PASS = [4, 32, 256, 1_024] as const;

/** Maximum touches that one statement reads. */
const TOUCHES_AT_ONCE = 20_000;

/** Time limit of the transaction that writes a portion, milliseconds. */
const WRITE_TIMEOUT_MS = 30_000;

/**
 * In: after (node id), limit. Out: one row: last (id of the last inspected node, null if there is
 * none), nodes (id, ownerId and version of those that are Completed without a time). Locks: none.
 * Cost: the inspected nodes, by the index.
 */
const LIST_WITHOUT_TIME = `
MATCH (n:Node) USING INDEX SEEK n:Node(id) WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $limit
WITH collect(n) AS inspected
RETURN inspected[-1].id AS last,
  [n IN inspected WHERE n.status = 3 AND n.completedTime IS NULL | {id: n.id, ownerId: n.ownerId, version: n.version}] AS nodes`;

/**
 * In: searches (node, ts and batch of a moment), each. Out: node, ts, batch of the newest touches
 * of each node before its moment, newest first. Locks: none. Cost: the results, by the index.
 */
const LIST_TOUCHES_BEFORE = `
UNWIND $searches AS search
CALL (search) {
  MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
  WHERE t.entity = search.node AND t.ts <= search.ts AND t.batch > ''
    AND CASE WHEN t.ts = search.ts THEN t.batch < search.batch ELSE true END
  RETURN t.ts AS ts, t.batch AS batch
  ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT $each
}
RETURN search.node AS node, ts, batch`;

/**
 * In: ids. Out: id and characters of the batches that exist, in this order. Locks: none. Cost: one
 * index look-up each.
 */
const MEASURE_BATCHES = `
UNWIND $ids AS id
MATCH (b:Batch {id: id})
RETURN id, size(b.changes) AS characters`;

/** In: ids. Out: id, changes. Locks: none. Cost: one index look-up each, and the changes. */
const READ_CHANGES = 'UNWIND $ids AS id MATCH (b:Batch {id: id}) RETURN id, b.changes AS changes';

/**
 * In: owners (ids). Out: nothing. Locks: these users, in the given order, which is id order. Cost:
 * one index look-up each. The revision grows, because cached pages lack the times.
 */
const LOCK_AND_BUMP_OWNERS = 'UNWIND $owners AS owner MATCH (u:User {id: owner}) SET u.rev = u.rev + 1';

/**
 * In: rows (id, version, time). Out: nothing. Locks: the nodes, under their owners' locks. Cost: one index
 * look-up each.
 */
const STORE_TIMES = `
UNWIND $rows AS row
MATCH (n:Node {id: row.id}) WHERE n.status = 3 AND n.completedTime IS NULL AND n.version = toInteger(row.version)
SET n.completedTime = row.time`;

interface CompletedNode {
  readonly id: string;
  readonly ownerId: string;
  readonly version: number;
}

/**
 * Gives each Completed node without a time the time of the newest change that completed it. If
 * history has no such change, the time stays null. A repetition changes nothing.
 */
export async function fillCompletionTimes(database: Database): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await retry(() => database.read(LIST_WITHOUT_TIME, { after, limit: integer(NODES_AT_ONCE) }));
    const { last, nodes } = rows[0] as unknown as { last: string | null; nodes: readonly CompletedNode[] };
    if (last === null) return;
    const times = await completionTimes(
      database,
      nodes.map(({ id }) => id),
    );
    await storeTimes(database, nodes, times);
    after = last;
  }
}

/** The moment from which the search for a node's completion continues towards the past. */
interface CompletionSearch {
  readonly node: string;
  readonly ts: string;
  readonly batch: string;
}

/** The times that history has for these nodes. */
async function completionTimes(database: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const times = new Map<string, string>();
  let searches: CompletionSearch[] = ids.map((node) => ({ node, ts: '~', batch: '' }));
  for (const each of TOUCHES_BY_PASS) {
    const unfinished: CompletionSearch[] = [];
    const length = Math.floor(TOUCHES_AT_ONCE / each);
    for (let from = 0; from < searches.length; from += length) {
      const some = searches.slice(from, from + length);
      const touches = await retry(() => database.read(LIST_TOUCHES_BEFORE, { searches: some, each: integer(each) }));
      const byNode = groupedBy(touches as unknown as CompletionSearch[], ({ node }) => node);
      await findTimes(database, byNode, times);
      for (const [node, own] of byNode) {
        const oldest = own.at(-1);
        if (!times.has(node) && own.length === each && oldest !== undefined) unfinished.push(oldest);
      }
    }
    searches = unfinished;
  }
  return times;
}

/**
 * Adds the newest completion of each node in the batches that touched it, which come newest first.
 */
async function findTimes(
  database: Database,
  touches: ReadonlyMap<string, readonly CompletionSearch[]>,
  times: Map<string, string>,
): Promise<void> {
  const newestFirst = [...touches.values()]
    .flat()
    .sort((one, other) => (one.ts > other.ts || (one.ts === other.ts && one.batch > other.batch) ? -1 : 1));
  const moments = new Map(newestFirst.map(({ batch, ts }) => [batch, ts]));
  const nodesOf = groupedBy(newestFirst, ({ batch }) => batch);
  const isWanted = (batch: string) => nodesOf.get(batch)?.some(({ node }) => !times.has(node)) === true;
  const sizes = await retry(() => database.read(MEASURE_BATCHES, { ids: [...moments.keys()] }));
  for (const chunk of batchChunksOf(sizes as unknown as BatchSize[])) {
    const ids = chunk.filter(isWanted);
    const rows = await retry(() => database.read(READ_CHANGES, { ids }));
    const changes = new Map((rows as { id: string; changes: string }[]).map((row) => [row.id, row.changes]));
    for (const id of ids) {
      const wanted = new Set(nodesOf.get(id)?.flatMap(({ node }) => (times.has(node) ? [] : [node])));
      const found = completionsIn(changes.get(id) ?? '[]', wanted, moments.get(id) as string);
      for (const [node, time] of found) times.set(node, time);
    }
  }
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The last completion of each wanted node in the stored changes of a batch of this time. */
function completionsIn(json: string, wanted: ReadonlySet<string>, ts: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const chunk of changeChunksOf(json)) {
    for (const change of chunk) {
      if (wanted.has(change.id) && completes(change)) found.set(change.id, timeIn(change) ?? ts);
    }
  }
  return found;
}

/** A restored node is stored whole, so `before` decides whether the change set the status. */
function completes({ kind, before, after }: StoredChange): boolean {
  if (kind !== 'node' || after?.status !== Status.COMPLETED) return false;
  return before === null || ('status' in before && before.status !== Status.COMPLETED);
}

/** The time that the change recorded, if a release with the field stored the change. */
function timeIn({ after }: StoredChange): string | undefined {
  return typeof after?.completedTime === 'string' ? after.completedTime : undefined;
}

async function storeTimes(
  database: Database,
  nodes: readonly CompletedNode[],
  times: ReadonlyMap<string, string>,
): Promise<void> {
  const found = nodes.filter(({ id }) => times.has(id));
  if (found.length === 0) return;
  const owners = [...new Set(found.map(({ ownerId }) => ownerId))].sort();
  const rows = found.map(({ id, version }) => ({ id, version, time: times.get(id) }));
  await retry(async () => {
    const transaction = database.begin(WRITE_TIMEOUT_MS);
    let committed = false;
    try {
      await transaction.run(LOCK_AND_BUMP_OWNERS, { owners });
      await transaction.run(STORE_TIMES, { rows });
      await transaction.commit();
      committed = true;
    } finally {
      if (!committed) await transaction.rollback();
    }
  });
}
