// Counts the statements sent through a connection pool.
import type { Database, StreamingTransaction } from './database.ts';

/**
 * Wraps a database and calls `onStatement` for each statement. Begins, commits and probes don't
 * count.
 */
export function countStatements(database: Database, onStatement: () => void): Database {
  const counted = <A extends unknown[], R>(send: (...statement: A) => R) => {
    return (...statement: A): R => {
      onStatement();
      return send(...statement);
    };
  };
  return {
    ...database,
    read: counted(database.read),
    write: counted(database.write),
    writeAgain: counted(database.writeAgain),
    begin(timeoutMs) {
      const transaction = database.begin(timeoutMs);
      return { ...transaction, run: counted(transaction.run) };
    },
    beginStreaming(timeoutMs, rowsAtOnce): StreamingTransaction {
      const transaction = database.beginStreaming(timeoutMs, rowsAtOnce);
      return { ...transaction, run: counted(transaction.run), stream: counted(transaction.stream) };
    },
  };
}
