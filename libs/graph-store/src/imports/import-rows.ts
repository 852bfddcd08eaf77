// The sources of a user's imports, and the rows that connect the tasks of their files with nodes. Rule:
// IO12.
//
// A row has a key, and a value in JSON that the store does not read. A row that the last import or
// update (the group) changed also has its former value, so that an undo can return to it.
import { RECORDED_CALLS } from '../accounts/account-calls.ts';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';

/** Batches and removed rows of earlier groups that a new group deletes: more remain for the next one. */
const CLEANUP_LIMIT = 5_000;
/** Sources of a user that jobs have not deleted yet, for each one that they may have. */
const DELETED_SOURCES_FACTOR = 2;
/** Rows of batches above the maximum of rows: a batch that exists is recorded with its last rows. */
const BATCH_ROW_RESERVE = 10_000;

export interface ImportSourceRecord {
  readonly id: string;
  readonly name: string;
  readonly under: string | null;
  /** ISO 8601 UTC, like `lastUsed`. */
  readonly createdTime: string;
  readonly lastUsed: string;
  readonly group: number;
  readonly state: ImportState;
  /** Whether the last run with changes was an update. */
  readonly undoable: boolean;
  /** Tasks and links, without batches and removed rows. */
  readonly rows: number;
  /** How its file is read; '' if its client did not say it. */
  readonly format: string;
  readonly reading: string;
  readonly origin: string;
}

/**
 * `importing` and `running`: an import or an update is incomplete. `undoing`: the undo of an update is.
 */
export type ImportState = 'complete' | 'importing' | 'running' | 'undoing';

/** In: userId. Out: source, the properties of each, by name. Locks: none. Cost: their number. */
const LIST_SOURCES = `MATCH (u:User {id: $userId})-[:HAS_IMPORT]->(s:ImportSource) USING INDEX SEEK u:User(id)
RETURN properties(s) AS source ORDER BY s.name, s.id`;

/** The sources of a user. */
export async function listImportSources(database: Database, userId: string): Promise<ImportSourceRecord[]> {
  return (await database.read(LIST_SOURCES, { userId })).map(({ source }) => recordOf(source as Row));
}

/**
 * In: userId, id, name, run, mode, under, format, reading, origin (each null if unknown), fingerprint, most,
 * mostDeleted, recorded, now, limit. Out: outcome, source (properties; null without one), used (rows of all
 * sources), interrupted; no row without the user or, unless it is an import, the source. Locks: the User, so
 * that concurrent runs of a source follow each other. Cost: the number of sources, and the limit.
 *
 * Only the outcome `begun` changes anything. The group of an update begins with its first batch, so that a run
 * that changes no node is not the one that an undo reverts. An interrupted run of the same source
 * continues its group, and a repeated request changes nothing, even if a later run began meanwhile. The undo
 * of an interrupted update reverts its group, which may have no rows yet.
 */
const BEGIN_RUN = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
OPTIONAL MATCH (u)-[:HAS_IMPORT]->(known:ImportSource {name: $name})
WITH u, known, COUNT { (u)-[:HAS_IMPORT]->(:ImportSource) } AS sources, COUNT { (u)-[:DELETED_IMPORT]->(:ImportSource) } AS deleted,
  coalesce($run IN known.runs, false) AS isRepeated
WHERE known IS NOT NULL OR $mode = 'import'
WITH u, known, isRepeated, CASE
  WHEN isRepeated THEN 'begun'
  WHEN known IS NULL THEN CASE WHEN sources < $most AND sources + deleted < $mostDeleted THEN 'begun' ELSE 'too_many' END
  WHEN $mode = 'undo' AND (known.format <> $format OR (known.origin <> '' AND known.origin <> $origin)) THEN 'settings'
  WHEN known.state = 'undoing' THEN CASE WHEN $mode = 'undo' THEN 'begun' ELSE 'undo' END
  WHEN $mode = 'undo' THEN CASE
    WHEN known.state = 'importing' THEN 'incomplete'
    WHEN known.state = 'running' THEN 'begun'
    WHEN known.group IN [coalesce(known.importGroup, 0), known.undone] THEN 'no_update'
    ELSE 'begun' END
  WHEN $mode = 'update' THEN CASE
    WHEN known.state = 'importing' THEN 'incomplete'
    WHEN known.format <> $format OR known.reading <> $reading OR coalesce(known.under, '') <> $under
      OR (known.origin <> '' AND known.origin <> $origin) THEN 'settings'
    ELSE 'begun' END
  WHEN $mode = 'import' AND known.live = 0 THEN 'begun'
  WHEN known.fingerprint <> $fingerprint THEN 'other'
  WHEN $mode = 'drop' OR known.state = 'importing' THEN 'begun'
  ELSE 'recorded' END AS outcome,
  CASE WHEN known.run = $run THEN known.continues ELSE known.state <> 'complete' END AS interrupted
CALL (u, known, outcome, isRepeated) {
  WITH u, outcome, isRepeated WHERE outcome = 'begun' AND NOT isRepeated
  MERGE (u)-[:HAS_IMPORT]->(s:ImportSource {name: $name})
  ON CREATE SET s.id = $id, s.createdTime = $now, s.group = 0, s.rows = 0, s.live = 0, s.state = 'complete'
  WITH s, s.state AS before
  SET s.continues = CASE WHEN s.run = $run THEN coalesce(s.continues, false) ELSE before <> 'complete' END
  SET s.run = $run, s.runs = ([$run] + coalesce(s.runs, []))[0..$recorded], s.lastUsed = $now,
    s.groupTime = CASE WHEN before = 'complete' THEN $now ELSE coalesce(s.groupTime, $now) END,
    s.group = CASE WHEN $mode = 'undo' AND before = 'running' THEN s.nextGroup ELSE s.group END,
    s.nextGroup = CASE WHEN before = 'complete' THEN s.group + 1 ELSE coalesce(s.nextGroup, s.group) END,
    s.state = CASE $mode WHEN 'undo' THEN 'undoing' WHEN 'update' THEN 'running' ELSE 'importing' END
  FOREACH (one IN CASE WHEN $mode = 'import' THEN [1] ELSE [] END |
    SET s.under = $under, s.format = coalesce($format, ''), s.reading = coalesce($reading, ''),
      s.origin = coalesce($origin, ''), s.fingerprint = $fingerprint)
  WITH s
  CALL (s) {
    MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key)
    WHERE r.source = s.id AND r.key >= 'b' AND r.key < 'c' AND r.group < s.group
    WITH r LIMIT $limit
    DELETE r
    RETURN count(*) AS batches
  }
  CALL (s) {
    MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(dropped, group)
    WHERE r.dropped = s.id AND r.group < s.group
    WITH r LIMIT $limit
    DELETE r
    RETURN count(*) AS dropped
  }
  SET s.rows = s.rows - batches - dropped
  RETURN properties(s) AS source
  UNION
  WITH known, outcome, isRepeated WHERE outcome <> 'begun' OR isRepeated RETURN properties(known) AS source
}
CALL (u) {
  MATCH (u)-[:HAS_IMPORT|DELETED_IMPORT]->(each:ImportSource) RETURN sum(each.rows) AS used
}
RETURN outcome, source, used, interrupted`;

/** How the file of a source is read, and where it is from: null if the client does not say it. */
export interface ImportSettings {
  /** The node below which new tasks are added. */
  readonly under: string | null;
  readonly format: string | null;
  readonly reading: string | null;
  /** A hash of the path of the file. */
  readonly origin: string | null;
}

interface RunStart extends ImportSettings {
  readonly userId: string;
  /** The id of the source if it is new. */
  readonly id: string;
  readonly name: string;
  /** The id of the run, which ends an earlier run of the source. */
  readonly run: string;
  /** Identifies an import: only the same one continues it or drops its rows. */
  readonly fingerprint: string;
  /** `drop` removes the rows of an import that is undone. */
  readonly mode: 'import' | 'update' | 'undo' | 'drop';
  readonly most: number;
  readonly now: string;
}

/**
 * Why a run does not begin. `recorded`: the import is complete. `other`: the source has rows of another
 * import. `incomplete`: a run must be completed before. `undo`: an undo must be. `no_update`: there was
 * only the import. `settings`: the file of the source is read in another way, or is another one.
 */
export type BeginRefusal = 'too_many' | 'undo' | 'incomplete' | 'no_update' | 'settings' | 'other';

export type BeginOutcome =
  | {
      readonly outcome: 'begun' | 'recorded';
      readonly source: ImportSourceRecord;
      /** Rows of all sources of the user. */
      readonly used: number;
      /** Whether it continues an interrupted run. */
      readonly interrupted: boolean;
    }
  | { readonly outcome: BeginRefusal; readonly settings: ImportSettings };

/** Begins a run of a source, or continues an interrupted one. Null if there is no such source. */
export async function beginImport(database: Database, start: RunStart): Promise<BeginOutcome | null> {
  const [row] = await retry(() =>
    database.write(BEGIN_RUN, {
      ...start,
      most: integer(start.most),
      mostDeleted: integer(start.most * DELETED_SOURCES_FACTOR),
      recorded: integer(RECORDED_CALLS),
      limit: integer(CLEANUP_LIMIT),
    }),
  );
  if (row === undefined) return null;
  const outcome = row.outcome as BeginOutcome['outcome'];
  const source = row.source as Row | null;
  if (outcome !== 'begun' && outcome !== 'recorded') return { outcome, settings: settingsOf(source ?? {}) };
  return {
    outcome,
    source: recordOf(source as Row, groupOf(start.mode)),
    used: row.used as number,
    interrupted: row.interrupted === true,
  };
}

function settingsOf(source: Row): ImportSettings {
  const textOf = (name: keyof ImportSettings) => (source[name] as string | undefined) || null;
  return { under: textOf('under'), format: textOf('format'), reading: textOf('reading'), origin: textOf('origin') };
}

/**
 * In: userId, source, run, request (or null), recorded, rows (key, value or null), complete, most,
 * mostWithBatches. Out: isCurrent (whether this run is the last one), fits; both are true for a repetition,
 * which changes nothing; no row without the source. Locks: the User. Cost: an index look-up for each row,
 * and the number of sources.
 *
 * A batch gets a number, because several workers make the ids of batches, each by its own clock.
 */
const STORE_ROWS = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_IMPORT]->(s:ImportSource {id: $source})
CALL (u) {
  MATCH (u)-[:HAS_IMPORT|DELETED_IMPORT]->(each:ImportSource) RETURN sum(each.rows) AS used
}
CALL (s) {
  UNWIND $rows AS row
  OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key = row.key
  WITH r IS NULL AND row.value IS NOT NULL AS isNew, row.key STARTS WITH 'b' AS isBatch,
    row.value IS NOT NULL AS isLive, r IS NOT NULL AND r.value IS NOT NULL AS wasLive
  RETURN sum(CASE WHEN isNew AND NOT isBatch THEN 1 ELSE 0 END) AS added,
    sum(CASE WHEN isNew AND isBatch THEN 1 ELSE 0 END) AS batches,
    sum(CASE WHEN isBatch OR isLive = wasLive THEN 0 WHEN isLive THEN 1 ELSE -1 END) AS grown
}
WITH s, coalesce($request IN s.requests, false) AS isRepeated, s.run = $run AS isCurrent, added + batches AS added, batches, grown,
  (added = 0 OR used + added <= $most) AND (batches = 0 OR used + added + batches <= $mostWithBatches) AS fits
CALL (s, isRepeated, isCurrent, fits, added, batches, grown) {
  WITH s, added, batches, grown, any(row IN $rows WHERE row.key STARTS WITH 'b') AS hasBatch
  WHERE isCurrent AND fits AND NOT isRepeated
  SET s.requests = CASE WHEN $request IS NULL THEN s.requests ELSE ([$request] + coalesce(s.requests, []))[0..$recorded] END,
    s.rows = s.rows + added, s.live = s.live + grown, s.batches = coalesce(s.batches, 0) + batches,
    s.group = CASE WHEN size($rows) > 0 AND (s.state = 'importing' OR hasBatch) THEN s.nextGroup ELSE s.group END,
    s.importGroup = CASE WHEN size($rows) > 0 AND s.state = 'importing' THEN s.nextGroup ELSE s.importGroup END,
    s.state = CASE WHEN $complete THEN 'complete' ELSE s.state END
  WITH s
  UNWIND $rows AS row
  OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key = row.key
  FOREACH (one IN CASE WHEN r IS NULL AND row.value IS NOT NULL THEN [row] ELSE [] END |
    CREATE (:ImportRow {source: s.id, key: one.key, value: one.value, group: s.group,
      number: CASE WHEN one.key STARTS WITH 'b' THEN s.batches ELSE null END}))
  FOREACH (each IN CASE WHEN r IS NULL THEN [] ELSE [r] END |
    SET each.former = CASE WHEN each.group = s.group THEN each.former ELSE each.value END,
      each.value = row.value, each.group = s.group,
      each.dropped = CASE WHEN row.value IS NULL THEN s.id ELSE null END)
  RETURN count(*) AS stored
}
RETURN isCurrent OR isRepeated AS isCurrent, fits OR isRepeated AS fits`;

/** A row. The value is JSON; null removes the row. */
export interface ImportRowRecord {
  readonly key: string;
  readonly value: string | null;
}

interface RowsToStore {
  readonly userId: string;
  readonly source: string;
  readonly run: string;
  /** The same in each attempt. A gateway of the previous release sends none. */
  readonly request?: string | undefined;
  readonly rows: readonly ImportRowRecord[];
  readonly complete: boolean;
  /** The most rows of all sources of the user. */
  readonly most: number;
}

/** Stores rows. Safe to repeat. `replaced`: a later run of the source began. */
export async function storeImportRows(
  database: Database,
  { rows, most, request, ...input }: RowsToStore,
): Promise<'stored' | 'replaced' | 'too_many' | null> {
  const parameters = {
    ...input,
    request: request ?? null,
    recorded: integer(RECORDED_CALLS),
    rows: rows.map((row) => ({ ...row })),
    most: integer(most),
    mostWithBatches: integer(most + BATCH_ROW_RESERVE),
  };
  const [row] = await retry(() => database.write(STORE_ROWS, parameters));
  if (row === undefined) return null;
  if (row.isCurrent !== true) return 'replaced';
  return row.fits === true ? 'stored' : 'too_many';
}

/** By how much the clocks of two workers may differ. */
const CLOCK_TOLERANCE_MS = 600_000;

/**
 * In: userId, source, batch. Out: state and groupTime (when the present group began) of the source, actorId and ts
 * of the batch (null without one); no row without the source. Locks: none. Cost: two index look-ups.
 */
const FIND_BATCH = `MATCH (s:ImportSource) USING INDEX SEEK s:ImportSource(id)
WHERE s.id = $source AND EXISTS { (s)<-[:HAS_IMPORT]-(:User {id: $userId}) }
OPTIONAL MATCH (b:Batch {id: $batch})
RETURN s.state AS state, s.groupTime AS groupTime, b.actorId AS actorId, b.ts AS ts`;

/**
 * Whether an update may record a batch, which its undo reverts: its user made it, after the update began. An
 * import is not undone by its rows, and may record batches of an earlier run. Null without the source.
 */
export async function mayRecordBatch(
  database: Database,
  input: { readonly userId: string; readonly source: string; readonly batch: string },
): Promise<boolean | null> {
  const [row] = await database.read(FIND_BATCH, { ...input });
  if (row === undefined) return null;
  const { state, groupTime, actorId, ts } = row as Readonly<Record<string, string | null>>;
  if (state === 'importing') return true;
  if (actorId !== input.userId || !ts || !groupTime) return false;
  return Date.parse(ts) >= Date.parse(groupTime) - CLOCK_TOLERANCE_MS;
}

/**
 * In: userId, source, after (key), limit. Out: key, value (null for a removed row), number (of a batch), isLast
 * (whether the last group changed it), in order; a row without a key if the page is empty; no row without the
 * source. Locks: none. Cost: the limit.
 */
const READ_ROWS = `MATCH (s:ImportSource) USING INDEX SEEK s:ImportSource(id)
WHERE s.id = $source AND EXISTS { (s)<-[:HAS_IMPORT]-(:User {id: $userId}) }
OPTIONAL MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key)
WHERE r.source = s.id AND r.key > $after
WITH s, r ORDER BY r.source, r.key LIMIT $limit
RETURN r.key AS key, r.value AS value, r.number AS number,
  r.group = CASE s.state WHEN 'running' THEN s.nextGroup ELSE s.group END AS isLast`;

interface ImportRowPage {
  readonly rows: readonly {
    readonly key: string;
    readonly value: string;
    /** Of a batch: later batches of the source have higher ones. */
    readonly number: number | null;
    readonly isLast: boolean;
  }[];
  readonly next: string | null;
}

/** A page of the rows of a source, by key. Null if there is no such source. */
export async function readImportRows(
  database: Database,
  page: { readonly userId: string; readonly source: string; readonly after: string; readonly limit: number },
): Promise<ImportRowPage | null> {
  const found = await database.read(READ_ROWS, { ...page, limit: integer(page.limit) });
  if (found.length === 0) return null;
  // A page of removed rows is empty, and not the last one.
  const next = found.length === page.limit ? ((found.at(-1)?.key as string | null) ?? null) : null;
  return { rows: found.filter(({ value }) => value !== null) as unknown as ImportRowPage['rows'], next };
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
  SET s.rows = s.rows - size(created),
    s.live = s.live - size([r IN created WHERE r.value IS NOT NULL AND NOT r.key STARTS WITH 'b'])
      + size([r IN rows WHERE r.former IS NOT NULL AND r.value IS NULL]),
    s.undone = CASE WHEN size(rows) < $limit THEN s.group ELSE s.undone END,
    s.state = CASE WHEN size(rows) < $limit THEN 'complete' ELSE s.state END
  FOREACH (r IN [each IN rows WHERE each.former IS NOT NULL] | SET r.value = r.former, r.group = 0 REMOVE r.former, r.dropped)
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
 * look-up. Jobs delete the rows, which count until then.
 */
const DELETE_SOURCE = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (s:ImportSource {id: $source}) USING INDEX SEEK s:ImportSource(id)
WHERE EXISTS { (u)-[:HAS_IMPORT]->(s) } OR (s.deletedBy = $request AND s.userId = $userId)
OPTIONAL MATCH (u)-[has:HAS_IMPORT]->(s)
SET s.deleted = coalesce(s.deleted, $now), s.deletedBy = $request, s.userId = $userId
DELETE has
MERGE (u)-[:DELETED_IMPORT]->(s)
RETURN s.id AS id`;

/** Deletes a source; false if there is none. A repeated request gets the first answer. */
export async function deleteImportSource(
  database: Database,
  input: { readonly userId: string; readonly source: string; readonly request: string; readonly now: string },
): Promise<boolean> {
  return (await retry(() => database.write(DELETE_SOURCE, { ...input }))).length > 0;
}

/**
 * In: before (ISO 8601), limit. Out: deleted (rows and sources). Locks: the User of a source that was deleted
 * before, so that no export runs meanwhile, and the rows. Cost: the limit.
 */
const PURGE_DELETED = `MATCH (s:ImportSource) USING INDEX SEEK s:ImportSource(deleted) WHERE s.deleted < $before
WITH s ORDER BY s.deleted LIMIT 1
OPTIONAL MATCH (u:User {id: s.userId})
SET u.lock = true
WITH s
CALL (s) {
  MATCH (r:ImportRow) USING INDEX SEEK r:ImportRow(source, key) WHERE r.source = s.id AND r.key >= ''
  WITH r LIMIT $limit
  DELETE r
  RETURN count(*) AS rows
}
SET s.rows = s.rows - rows
FOREACH (done IN CASE WHEN rows < $limit THEN [s] ELSE [] END | DETACH DELETE done)
RETURN rows + CASE WHEN rows < $limit THEN 1 ELSE 0 END AS deleted`;

/** Deletes rows of sources that their users deleted before a moment (ISO 8601). The number is 0 at the end. */
export async function purgeDeletedImports(database: Database, before: string, limit: number): Promise<number> {
  const [row] = await retry(() => database.write(PURGE_DELETED, { before, limit: integer(limit) }));
  return (row?.deleted as number | undefined) ?? 0;
}

/** An undo reverts the last group with rows; other runs begin or continue one. */
function groupOf(mode: RunStart['mode']): 'group' | 'nextGroup' {
  return mode === 'undo' ? 'group' : 'nextGroup';
}

function recordOf(source: Row, groupName: 'group' | 'nextGroup' = 'group'): ImportSourceRecord {
  const { id, name, createdTime, lastUsed, state } = source as unknown as ImportSourceRecord;
  const [group, rows] = [source[groupName] as number, source.live as number];
  const { under, format, reading, origin } = settingsOf(source);
  const texts = { format: format ?? '', reading: reading ?? '', origin: origin ?? '' };
  const undoable = source.group !== ((source.importGroup as number | undefined) ?? 0) && source.group !== source.undone;
  return { id, name, under, createdTime, lastUsed, group, state, undoable, rows, ...texts };
}
