// The sources of a user's imports, and the rows that connect the tasks of their files with nodes. Rule:
// IO12.
//
// A row has a key, and a value in JSON that the store does not read. A row that the last import or
// update (the group) changed also has its former value, so that an undo can return to it.
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';

/** Batches of earlier groups that a new group deletes: more remain for the next one. */
const BATCHES_AT_ONCE = 2_000;

export interface ImportSourceRecord {
  readonly id: string;
  readonly name: string;
  readonly under: string | null;
  /** ISO 8601 UTC, like `lastUsed`. */
  readonly createdTime: string;
  readonly lastUsed: string;
  readonly group: number;
  readonly state: 'complete' | 'running' | 'undoing';
  readonly rows: number;
}

/** In: userId. Out: source, the properties of each, by name. Locks: none. Cost: their number. */
const LIST_SOURCES = `MATCH (u:User {id: $userId})-[:HAS_IMPORT]->(s:ImportSource) USING INDEX SEEK u:User(id)
RETURN properties(s) AS source ORDER BY s.name, s.id`;

/** The sources of a user. */
export async function listImportSources(database: Database, userId: string): Promise<ImportSourceRecord[]> {
  return (await database.read(LIST_SOURCES, { userId })).map(({ source }) => recordOf(source as Row));
}

/**
 * In: userId, id, name, run, under (or null), mode, mayCreate, most, now, limit. Out: source (properties; null
 * above the limit), used (rows of all sources); no row without the user or, unless it may be created, the
 * source. Locks: the User, so that concurrent runs of a source follow each other. Cost: the number of
 * sources, and the batches of the former group.
 *
 * The group begins with the first row that the run stores, so that a run without changes is not the
 * one that an undo reverts. An interrupted run of the same source continues its group, and a repeated
 * request changes nothing.
 */
const BEGIN_RUN = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
OPTIONAL MATCH (u)-[:HAS_IMPORT]->(known:ImportSource {name: $name})
WITH u, known, COUNT { (u)-[:HAS_IMPORT]->(:ImportSource) } < $most AS fits
WHERE known IS NOT NULL OR $mayCreate
CALL (u, known, fits) {
  WITH u, known, fits WHERE known IS NOT NULL OR fits
  MERGE (u)-[:HAS_IMPORT]->(s:ImportSource {name: $name})
  ON CREATE SET s.id = $id, s.createdTime = $now, s.group = 0, s.rows = 0, s.state = 'complete'
  WITH s, s.state AS before
  SET s.under = CASE WHEN $mode = 'import' THEN $under ELSE coalesce($under, s.under) END, s.run = $run, s.lastUsed = $now,
    s.nextGroup = CASE WHEN before = 'complete' THEN s.group + 1 ELSE coalesce(s.nextGroup, s.group) END,
    s.state = CASE WHEN before = 'undoing' THEN before WHEN $mode = 'undo' THEN 'undoing' ELSE 'running' END
  WITH s
  CALL (s) {
    MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key)
    WHERE r.source = s.id AND r.key >= 'b' AND r.key < 'c' AND r.group < s.group
    WITH r LIMIT $limit
    DELETE r
    RETURN count(*) AS deleted
  }
  SET s.rows = s.rows - deleted
  RETURN properties(s) AS source
  UNION
  WITH known, fits WHERE known IS NULL AND NOT fits RETURN null AS source
}
CALL (u) {
  MATCH (u)-[:HAS_IMPORT]->(each:ImportSource) RETURN sum(each.rows) AS used
}
RETURN source, used`;

interface RunStart {
  readonly userId: string;
  /** The id of the source if it is new. */
  readonly id: string;
  readonly name: string;
  /** The id of the run, which ends an earlier run of the source. */
  readonly run: string;
  /** Null means none for an import; otherwise it leaves the former one. */
  readonly under: string | null;
  readonly mode: 'import' | 'update' | 'undo';
  readonly most: number;
  readonly now: string;
}

/** Begins a run of a source, or continues an interrupted one. Null if there is no such source. */
export async function beginImport(
  database: Database,
  start: RunStart,
): Promise<{ readonly source: ImportSourceRecord; readonly used: number } | 'too_many' | null> {
  const [row] = await retry(() =>
    database.write(BEGIN_RUN, {
      ...start,
      mayCreate: start.mode === 'import',
      most: integer(start.most),
      limit: integer(BATCHES_AT_ONCE),
    }),
  );
  if (row === undefined) return null;
  return row.source === null
    ? 'too_many'
    : { source: recordOf(row.source as Row, groupOf(start.mode)), used: row.used as number };
}

/**
 * In: userId, source, run, rows (key, value or null), complete, most. Out: isCurrent (whether this run is
 * the last one), fits; no row without the source. Locks: the User. Cost: an index look-up for each row,
 * and the number of sources.
 */
const STORE_ROWS = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_IMPORT]->(s:ImportSource {id: $source})
CALL (u) {
  MATCH (u)-[:HAS_IMPORT]->(each:ImportSource) RETURN sum(each.rows) AS used
}
CALL (s) {
  UNWIND $rows AS row
  OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key = row.key
  WITH row, r WHERE r IS NULL AND row.value IS NOT NULL
  RETURN count(row) AS added
}
WITH s, s.run = $run AS isCurrent, added = 0 OR used + added <= $most AS fits, added
CALL (s, isCurrent, fits, added) {
  WITH s, added WHERE isCurrent AND fits
  SET s.rows = s.rows + added, s.group = CASE WHEN size($rows) > 0 THEN s.nextGroup ELSE s.group END,
    s.state = CASE WHEN $complete THEN 'complete' ELSE s.state END
  WITH s
  UNWIND $rows AS row
  OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key = row.key
  FOREACH (one IN CASE WHEN r IS NULL AND row.value IS NOT NULL THEN [row] ELSE [] END |
    CREATE (:ImportRow {source: s.id, key: one.key, value: one.value, group: s.group}))
  FOREACH (each IN CASE WHEN r IS NULL THEN [] ELSE [r] END |
    SET each.former = CASE WHEN each.group = s.group THEN each.former ELSE each.value END,
      each.value = row.value, each.group = s.group)
  RETURN count(*) AS stored
}
RETURN isCurrent, fits`;

/** A row. The value is JSON; null removes the row. */
export interface ImportRowRecord {
  readonly key: string;
  readonly value: string | null;
}

interface RowsToStore {
  readonly userId: string;
  readonly source: string;
  readonly run: string;
  readonly rows: readonly ImportRowRecord[];
  readonly complete: boolean;
  /** The most rows of all sources of the user. */
  readonly most: number;
}

/** Stores rows. Safe to repeat. `replaced`: a later run of the source began. */
export async function storeImportRows(
  database: Database,
  { rows, most, ...input }: RowsToStore,
): Promise<'stored' | 'replaced' | 'too_many' | null> {
  const parameters = { ...input, rows: rows.map((row) => ({ ...row })), most: integer(most) };
  const [row] = await retry(() => database.write(STORE_ROWS, parameters));
  if (row === undefined) return null;
  if (row.isCurrent !== true) return 'replaced';
  return row.fits === true ? 'stored' : 'too_many';
}

/**
 * In: userId, source, after (key), limit. Out: key, value, isLast (whether the last group changed it), in
 * order; a row without a key if the page is empty; no row without the source. Locks: none. Cost: the
 * limit, and removed rows.
 */
const READ_ROWS = `MATCH (u:User {id: $userId})-[:HAS_IMPORT]->(s:ImportSource {id: $source}) USING INDEX SEEK u:User(id)
OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key)
WHERE r.source = s.id AND r.key > $after AND r.value IS NOT NULL
WITH s, r ORDER BY r.source, r.key LIMIT $limit
RETURN r.key AS key, r.value AS value, r.group = s.group AS isLast`;

interface ImportRowPage {
  readonly rows: readonly { readonly key: string; readonly value: string; readonly isLast: boolean }[];
  readonly next: string | null;
}

/** A page of the rows of a source, by key. Null if there is no such source. */
export async function readImportRows(
  database: Database,
  page: { readonly userId: string; readonly source: string; readonly after: string; readonly limit: number },
): Promise<ImportRowPage | null> {
  const found = await database.read(READ_ROWS, { ...page, limit: integer(page.limit) });
  if (found.length === 0) return null;
  const rows = found.filter(({ key }) => key !== null) as unknown as ImportRowPage['rows'];
  return { rows, next: rows.length === page.limit ? (rows.at(-1)?.key ?? null) : null };
}

/**
 * In: userId, source, run, limit. Out: isCurrent, reverted (rows); no row without the source. Locks: the
 * User. Cost: the limit.
 */
const REVERT_ROWS = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_IMPORT]->(s:ImportSource {id: $source})
WITH s, s.run = $run AS isCurrent
CALL (s, isCurrent) {
  WITH s WHERE isCurrent
  OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, group)
  WHERE r.source = s.id AND r.group = s.group
  WITH s, r LIMIT $limit
  WITH s, collect(r) AS rows
  WITH s, rows, [r IN rows WHERE r.former IS NULL] AS created
  SET s.rows = s.rows - size(created), s.state = CASE WHEN size(rows) < $limit THEN 'complete' ELSE s.state END
  FOREACH (r IN [each IN rows WHERE each.former IS NOT NULL] | SET r.value = r.former, r.group = 0 REMOVE r.former)
  FOREACH (r IN created | DELETE r)
  RETURN sum(size(rows)) AS reverted
}
RETURN isCurrent, reverted`;

/** Gives up to `limit` rows of the last group their former values. Null if there is no such source. */
export async function revertImportRows(
  database: Database,
  {
    limit,
    ...input
  }: { readonly userId: string; readonly source: string; readonly run: string; readonly limit: number },
): Promise<{ readonly hasMore: boolean } | 'replaced' | null> {
  const [row] = await retry(() => database.write(REVERT_ROWS, { ...input, limit: integer(limit) }));
  if (row === undefined) return null;
  return row.isCurrent === true ? { hasMore: row.reverted === limit } : 'replaced';
}

/**
 * In: userId, source, request, now. Out: id; no row without such a source. Locks: the User. Cost: an index
 * look-up. Jobs delete the rows.
 */
const END_SOURCE = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (s:ImportSource {id: $source}) USING INDEX SEEK s:ImportSource(id)
WHERE EXISTS { (u)-[:HAS_IMPORT]->(s) } OR (s.endedBy = $request AND s.userId = $userId)
OPTIONAL MATCH (u)-[has:HAS_IMPORT]->(s)
SET s.ended = coalesce(s.ended, $now), s.endedBy = $request, s.userId = $userId
DELETE has
RETURN s.id AS id`;

/** Ends a source; false if there is none. A repeated request gets the first answer. */
export async function endImportSource(
  database: Database,
  input: { readonly userId: string; readonly source: string; readonly request: string; readonly now: string },
): Promise<boolean> {
  return (await retry(() => database.write(END_SOURCE, { ...input }))).length > 0;
}

/**
 * In: before (ISO 8601), limit. Out: deleted (rows and sources). Locks: the User of a source that ended
 * before, so that no export runs meanwhile, and the rows. Cost: the limit.
 */
const DELETE_ENDED = `MATCH (s:ImportSource) USING INDEX SEEK s:ImportSource(ended) WHERE s.ended < $before
WITH s ORDER BY s.ended LIMIT 1
MATCH (u:User {id: s.userId})
SET u.lock = true
WITH s
CALL (s) {
  MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key >= ''
  WITH r LIMIT $limit
  DELETE r
  RETURN count(*) AS rows
}
FOREACH (done IN CASE WHEN rows < $limit THEN [s] ELSE [] END | DELETE done)
RETURN rows + CASE WHEN rows < $limit THEN 1 ELSE 0 END AS deleted`;

/** Deletes rows of sources that their users deleted before a moment (ISO 8601). The number is 0 at the end. */
export async function deleteEndedImports(database: Database, before: string, limit: number): Promise<number> {
  const [row] = await retry(() => database.write(DELETE_ENDED, { before, limit: integer(limit) }));
  return (row?.deleted as number | undefined) ?? 0;
}

/** An undo reverts the last group with rows; other runs begin or continue one. */
function groupOf(mode: RunStart['mode']): 'group' | 'nextGroup' {
  return mode === 'undo' ? 'group' : 'nextGroup';
}

function recordOf(source: Row, groupName: 'group' | 'nextGroup' = 'group'): ImportSourceRecord {
  const { id, name, createdTime, lastUsed, state, rows } = source as unknown as ImportSourceRecord;
  const group = source[groupName] as number;
  return { id, name, under: (source.under as string | undefined) ?? null, createdTime, lastUsed, group, state, rows };
}
