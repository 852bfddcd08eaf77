// Reads from the database as the bare driver does it best: each statement in a transaction of its
// own that Neo4j opens and ends with the statement.
import neo4j from 'neo4j-driver';
import type { DatabaseAccess, RunStatement } from './direct-writes.ts';

interface DirectReads {
  readonly run: RunStatement;
  close(): Promise<void>;
}

export function openDirectReads({ url, user, password }: DatabaseAccess): DirectReads {
  const driver = neo4j.driver(url, neo4j.auth.basic(user, password), {
    disableLosslessIntegers: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    telemetryDisabled: true,
  });
  return {
    async run(statement, parameters) {
      const session = driver.session({ defaultAccessMode: neo4j.session.READ });
      try {
        const { records } = await session.run(statement, parameters);
        return records.map((record) => record.toObject());
      } finally {
        await session.close();
      }
    },
    close: () => driver.close(),
  };
}
