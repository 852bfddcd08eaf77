// Plans a group's large statements after a database's start. Planning takes seconds, on a busy
// machine more than a transaction's 3 s. Without a warm-up each attempt would time out and start
// over.
import { type Database, type OpenTransaction, PLANNING_LIMIT_MS } from '../driver/database.ts';
import type { LoadStatement } from './load/statement.ts';
import { planLoad } from './load.ts';
import { lockOwners } from './lock.ts';
import { type WritePlan, writeGroup } from './write.ts';

const NOTHING = { users: [], emails: [], nodes: [], links: [] };
const NO_WRITE: WritePlan = {
  changes: [],
  batches: [],
  feeds: new Map(),
  bumped: new Set(),
  lastTs: new Map(),
  historyForm: 'merged',
  nodeOf: (id) => {
    throw new Error(`the warm-up must not write ${id}`);
  },
};

/**
 * Runs the statements of a group with nothing to lock, load or write. Throws the database's errors.
 */
export async function planGroups(database: Database): Promise<void> {
  await runWithoutEffect(database, async (transaction) => {
    await lockOwners(transaction, NOTHING);
    await planLoad(transaction);
    await writeGroup(transaction, NO_WRITE);
  });
}

/** Plans one of the smaller statements. Throws the database's errors. */
export async function planStatement(database: Database, statement: LoadStatement): Promise<void> {
  await runWithoutEffect(database, (transaction) => planLoad(transaction, statement));
}

async function runWithoutEffect(
  database: Database,
  work: (transaction: OpenTransaction) => Promise<void>,
): Promise<void> {
  const transaction = database.begin(PLANNING_LIMIT_MS);
  try {
    await work(transaction);
  } finally {
    await transaction.rollback();
  }
}
