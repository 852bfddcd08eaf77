// Checks the data that a test file has stored for violated invariants.
import type { Database } from '@taskgraph/graph-store/driver/database';
import * as integrity from '@taskgraph/testkit/integrity/inconsistencies';
import { usersMade } from './harness.ts';

/**
 * The violations in the data of this file, as `kind: id`, or in the whole database after all writes
 * have ended.
 */
export function findInconsistencies(
  database: Database,
  of: readonly string[] | 'everybody' = usersMade,
): Promise<string[]> {
  return integrity.findInconsistencies(database, of);
}
