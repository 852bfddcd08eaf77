// Reads the whole database as of one moment, while other reads continue. See docs/operations.md,
// "Export and import".
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Row, StreamingTransaction } from '../driver/database.ts';
import { failureOf } from '../driver/failures.ts';
import {
  countNodes,
  countRelationships,
  EXCLUDED_LABELS,
  EXCLUDED_TYPES,
  NODE_TABLES,
  RELATIONSHIP_TABLES,
  readNodes,
  readRelationships,
  type TableName,
} from './export-statements.ts';

/** One node or relationship. Numbers are integers except the properties named in `floats`. */
export interface StoredRecord {
  readonly table: TableName;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly floats: readonly string[];
  /** The user whose graph contains it, or null. */
  readonly owner: string | null;
  /** Keys of the ends, for relationships only. */
  readonly ends?: { readonly source: string; readonly target: string };
}

/** Time limit of an export, milliseconds: the transaction with the locks ends then. */
const TIMEOUT_MS = 4 * 3_600_000;
/**
 * Rows in one message. A batch may be megabytes long, and the driver buffers up to twice as many
 * rows.
 */
const ROWS_AT_ONCE = 100;
/**
 * Attempts to lock all users. A group holds locks for a tenth of a second, and a large command for
 * up to 30 s.
 */
const LOCK_TRIES = 60;
const LOCK_WAIT_MS = 250;
/** Counts of all records, which attempts of webhooks may change meanwhile. */
const COUNT_TRIES = 10;

/** Types that JSON preserves. Lists of numbers are missing: none are stored. */
const PLAIN = [
  'STRING NOT NULL',
  'INTEGER NOT NULL',
  'BOOLEAN NOT NULL',
  'LIST<STRING NOT NULL> NOT NULL',
  'LIST<NOTHING> NOT NULL',
];
const FLOAT = 'FLOAT NOT NULL';

/**
 * In: nothing. Out: users, how many. Locks: all users, in id order, as groups do. Cost: the number
 * of users.
 */
const LOCK_ALL_USERS =
  "MATCH (u:User) WHERE u.id >= '' WITH u ORDER BY u.id SET u.lock = true RETURN count(u) AS users";

/**
 * In: nothing. Out: count of the entries that are merged into batches. Locks: none. Cost: these
 * entries, by the index, which has no other batches.
 */
const COUNT_MERGED_ENTRIES = `MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
WHERE b.feed > '' AND b.seq > 0
RETURN count(b) AS count`;

/** In: nothing. Out: count of all nodes but the schema's. Locks: none. Cost: constant. */
const COUNT_ALL_NODES = 'MATCH (n) RETURN count(n) AS count';

/** In: nothing. Out: count of all relationships. Locks: none. Cost: constant. */
const COUNT_ALL_RELATIONSHIPS = 'MATCH ()-[r]->() RETURN count(r) AS count';

/**
 * All nodes and relationships except the schema's and those of webhooks, table by table, under the locks of all users. So
 * no graph changes during the export: writes wait for their locks and are refused as `unavailable`
 * at their deadlines. Throws, without any change, if the locks are unavailable, and at the end if
 * something was written after all: a new account, or history deleted by age.
 */
export async function* exportRecords(database: Database): AsyncGenerator<StoredRecord, void> {
  const transaction = await lockAllUsers(database);
  try {
    const found: Counts = { tables: new Map(), mergedEntries: await countMergedEntries(transaction) };
    for (const table of NODE_TABLES) {
      yield* readTable(transaction, table.name, readNodes(table), found.tables);
    }
    for (const table of RELATIONSHIP_TABLES) {
      yield* readTable(transaction, table.name, readRelationships(table), found.tables);
    }
    await checkCounts(transaction, found);
  } finally {
    // The marks only served to lock.
    await transaction.rollback();
  }
}

/** The counts of what an export has read. */
interface Counts {
  readonly tables: Map<string, number>;
  readonly mergedEntries: number;
}

async function lockAllUsers(database: Database): Promise<StreamingTransaction> {
  for (let attempt = 1; ; attempt++) {
    const transaction = database.beginStreaming(TIMEOUT_MS, ROWS_AT_ONCE);
    try {
      await transaction.run(LOCK_ALL_USERS, {});
      return transaction;
    } catch (error) {
      await transaction.rollback();
      const isPassing = ['locked', 'passing'].includes(failureOf(error));
      if (!isPassing || attempt === LOCK_TRIES) throw error;
    }
    await sleep(LOCK_WAIT_MS);
  }
}

async function* readTable(
  transaction: StreamingTransaction,
  table: TableName,
  statement: string,
  found: Map<string, number>,
): AsyncGenerator<StoredRecord, void> {
  let count = 0;
  for await (const row of transaction.stream(statement, { plain: PLAIN })) {
    count += 1;
    yield recordOf(table, row);
  }
  found.set(table, count);
}

/** Throws on a value of a type that a line can't represent. */
function recordOf(table: TableName, row: Row): StoredRecord {
  const marked = row.marked as [string, string][];
  const strange = marked.find(([, type]) => type !== FLOAT);
  if (strange !== undefined) throw new Error(`${table}.${strange[0]} is a ${strange[1]}, which an export can't hold.`);
  const { source, target } = row as { source?: string; target?: string };
  return {
    table,
    properties: row.properties as Row,
    floats: marked.map(([name]) => name).sort(),
    owner: (row.owner as string | null) ?? null,
    ...(source === undefined || target === undefined ? {} : { ends: { source, target } }),
  };
}

async function countMergedEntries(transaction: StreamingTransaction): Promise<number> {
  const [row] = await transaction.run(COUNT_MERGED_ENTRIES, {});
  return row?.count as number;
}

/**
 * The locks freeze users' graphs. Other records show in the counts: a new account, or history
 * deleted by a job.
 */
async function checkCounts(transaction: StreamingTransaction, found: Counts): Promise<void> {
  const count = async (statement: string) => (await transaction.run(statement, {}))[0]?.count as number;
  const moved: string[] = [];
  let [nodes, relationships] = [0, 0];
  for (const table of NODE_TABLES) {
    const now = await count(countNodes(table));
    nodes += now;
    if (now !== found.tables.get(table.name)) moved.push(table.name);
  }
  for (const table of RELATIONSHIP_TABLES) {
    const now = await count(countRelationships(table));
    relationships += now;
    if (now !== found.tables.get(table.name)) moved.push(table.name);
  }
  if ((await countMergedEntries(transaction)) !== found.mergedEntries) moved.push('merged Entry');
  if (moved.length > 0) throw new Error(`${moved.join(', ')} changed during the export: try again.`);
  // Expected: the schema's one node. Any other record outside the tables belongs to a newer release
  // or another program.
  const strangers = async () => {
    let [others, ties] = [(await count(COUNT_ALL_NODES)) - 1 - nodes, await count(COUNT_ALL_RELATIONSHIPS)];
    for (const name of EXCLUDED_LABELS) others -= await count(countNodes({ name }));
    for (const name of EXCLUDED_TYPES) ties -= await count(countRelationships({ name }));
    return { others, ties: ties - relationships };
  };
  for (let attempt = 1; ; attempt++) {
    const { others, ties } = await strangers();
    if (others <= 0 && ties <= 0) return;
    if (attempt === COUNT_TRIES)
      throw new Error(`${others} nodes and ${ties} relationships are of no kind that this release knows.`);
  }
}
