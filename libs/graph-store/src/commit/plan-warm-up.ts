// A database that has just started takes seconds to plan the large statements of a group, and more than the 3 s of a transaction on a busy
// machine. Each such try would be broken off and begin anew; so they are planned before anybody waits for them.
import type { Database, OpenTransaction } from '../driver/database.ts';
import type { LoadStatement } from './load/statement.ts';
import { planLoad } from './load.ts';
import { lockOwners } from './lock.ts';
import { type WritePlan, writeGroup } from './write.ts';

const PLANNING_LIMIT_MS = 60_000;
const NOTHING = { users: [], emails: [], nodes: [], links: [] };
const NO_WRITE: WritePlan = {
  ...{ changes: [], batches: [], feeds: new Map(), bumped: new Set(), lastTs: new Map() },
  nodeOf: (id) => {
    throw new Error(`nothing is written of ${id}`);
  },
};

/** Runs the statements that any group can do with, with nothing to lock, load and write; nothing is changed. Throws what the database throws. */
export async function planGroups(database: Database): Promise<void> {
  await inVain(database, async (transaction) => {
    await lockOwners(transaction, NOTHING);
    await planLoad(transaction);
    await writeGroup(transaction, NO_WRITE);
  });
}

/** Has one of the smaller statements planned. Throws what the database throws. */
export async function planStatement(database: Database, statement: LoadStatement): Promise<void> {
  await inVain(database, (transaction) => planLoad(transaction, statement));
}

async function inVain(database: Database, work: (transaction: OpenTransaction) => Promise<void>): Promise<void> {
  const transaction = database.begin(PLANNING_LIMIT_MS);
  try {
    await work(transaction);
  } finally {
    await transaction.rollback();
  }
}
