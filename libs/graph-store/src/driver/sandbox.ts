// A database in which every change is rolled back, for statements that only warm up the server.
import type { Database, OpenTransaction, Row } from './database.ts';

export interface Sandbox {
  /**
   * All its transactions are parts of one transaction, and see each other's changes. None of them
   * can commit. A failed statement ends all of them.
   */
  readonly database: Database;
  /** Rolls everything back. Never fails. */
  end(): Promise<void>;
}

/** Opens a transaction that the server ends after `timeoutMs` at the latest. */
export function openSandbox(database: Database, timeoutMs: number): Sandbox {
  const transaction = database.begin(timeoutMs);
  const run = (cypher: string, parameters: Row) => transaction.run(cypher, parameters);
  const part: OpenTransaction = { run, commit: async () => undefined, rollback: async () => undefined };
  return {
    database: {
      begin: () => part,
      beginStreaming: () => ({
        ...part,
        async *stream(cypher, parameters) {
          yield* await run(cypher, parameters);
        },
      }),
      read: run,
      write: run,
      writeAgain: run,
      verify: () => database.verify(),
      close: async () => undefined,
    },
    end: () => transaction.rollback(),
  };
}
