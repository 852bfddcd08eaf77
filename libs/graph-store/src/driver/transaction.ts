// One transaction that either commits what it did or leaves nothing behind.
import type { Database, OpenTransaction } from './database.ts';

/** Runs one transaction; an answer in words undoes it, since then nothing may stay. */
export async function transact<T extends object | string>(
  database: Database,
  work: (transaction: OpenTransaction) => Promise<T>,
): Promise<T> {
  const transaction = database.begin();
  try {
    const result = await work(transaction);
    if (typeof result === 'string') await transaction.rollback();
    else await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
