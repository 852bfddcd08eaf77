// Counts the statements that go to the database through a pool of connections.
import type { Database, StreamingTransaction } from './database.ts';

/** The same database, which calls `onStatement` for each statement that is sent. Beginning, committing and probes are none. */
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
