// Waits until statements wait for locks.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { vi } from 'vitest';

/** Until a statement about each of these users has waited; one that waits for too long is repeated. */
export function statementsBehindLocksOf(database: Database, users: readonly string[]): Promise<void> {
  const left = new Set(users);
  return vi.waitFor(
    async () => {
      const rows = await database.read(
        "SHOW TRANSACTIONS YIELD status, parameters WHERE status STARTS WITH 'Blocked' RETURN parameters",
        {},
      );
      for (const row of rows) {
        const { userId, target } = row.parameters as { readonly userId?: string; readonly target?: string | null };
        for (const id of [userId, target]) left.delete(id ?? '');
      }
      if (left.size > 0) throw new Error(`${left.size} statements have not waited`);
    },
    { timeout: 60_000, interval: 5 },
  );
}
