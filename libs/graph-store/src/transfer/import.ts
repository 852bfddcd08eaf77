// Writes an export's records into an empty database. See docs/operations.md, "Export and import".
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import type { StoredRecord } from './export.ts';
import {
  createNodes,
  createRelationships,
  NODE_TABLES,
  RELATIONSHIP_TABLES,
  type TableName,
} from './export-statements.ts';

/** Milliseconds for one page of records. */
const TIMEOUT_MS = 60_000;

/**
 * In: nothing. Out: importing, whether an import has begun; or no row. Locks: the Schema node, so
 * that two imports queue. Cost: constant.
 */
const LOCK_SCHEMA_NODE = 'MATCH (s:Schema {id: 1}) SET s.lock = true RETURN coalesce(s.importing, false) AS importing';

/** In: nothing. Out: count of all nodes. Locks: none. Cost: constant. */
const COUNT_NODES = 'MATCH (n) RETURN count(n) AS count';

/** In: nothing. Out: nothing. Locks: the Schema node. Cost: constant. */
const MARK_IMPORT = 'MATCH (s:Schema {id: 1}) SET s.importing = true';

/**
 * In: nothing. Out: nothing. Locks: the Schema node. Cost: constant. The file may contain merged
 * history, which the previous release does not read, so the database must not look as if it did.
 */
const UNMARK_IMPORT = "MATCH (s:Schema {id: 1}) SET s.historyForm = 'merged' REMOVE s.importing";

export type ImportStart = 'begun' | 'not_migrated' | 'not_empty' | 'unfinished';

/**
 * Marks the database as incomplete, so that services refuse it, if it is migrated and otherwise
 * empty; returns the reason if not.
 */
export async function beginImport(database: Database): Promise<ImportStart> {
  const transaction = database.begin();
  let started: ImportStart = 'not_migrated';
  try {
    const [schema] = await transaction.run(LOCK_SCHEMA_NODE, {});
    const [row] = await transaction.run(COUNT_NODES, {});
    if (schema !== undefined) started = 'begun';
    if (((row?.count as number | undefined) ?? 0) > 1) started = 'not_empty';
    if (schema?.importing === true) started = 'unfinished';
    if (started === 'begun') {
      await transaction.run(MARK_IMPORT, {});
      await transaction.commit();
    }
    return started;
  } finally {
    if (started !== 'begun') await transaction.rollback();
  }
}

/** Allows services to use the database, which has the merged form of history from then on. */
export async function endImport(database: Database): Promise<void> {
  await database.write(UNMARK_IMPORT, {});
}

/**
 * Writes records of one table in one transaction. Throws if a record names a missing end: the file
 * is damaged.
 */
export async function importRecords(
  database: Database,
  table: TableName,
  records: readonly StoredRecord[],
): Promise<void> {
  const statement = statementOf(table);
  const rows = records.map((record) => ({ ...record.ends, properties: encodeProperties(record) }));
  await retry(async () => {
    const transaction = database.begin(TIMEOUT_MS);
    let done = false;
    try {
      const [row] = await transaction.run(statement, { rows });
      if (row?.created !== rows.length) throw new Error(`a relationship ${table} has an end that is not in the file.`);
      await transaction.commit();
      done = true;
    } finally {
      if (!done) await transaction.rollback();
    }
  });
}

function statementOf(name: TableName): string {
  const nodes = NODE_TABLES.find((table) => table.name === name);
  if (nodes !== undefined) return createNodes(nodes);
  const relationships = RELATIONSHIP_TABLES.find((table) => table.name === name);
  if (relationships === undefined) throw new Error(`there is no table ${name}.`);
  return createRelationships(relationships);
}

/** Restores integers: the driver would send all numbers as floats. */
function encodeProperties({ properties, floats }: StoredRecord): Row {
  const isInteger = ([name, value]: [string, unknown]) => typeof value === 'number' && !floats.includes(name);
  const entries = Object.entries(properties).map((entry): [string, unknown] =>
    isInteger(entry) ? [entry[0], integer(entry[1] as number)] : entry,
  );
  return Object.fromEntries(entries);
}
