// A transaction that commits completely or leaves nothing.
import type { Database, OpenTransaction } from './database.ts';

/** Runs one transaction. A text result rolls it back. */
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
