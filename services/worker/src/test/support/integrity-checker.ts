// Looks through what a file of tests has stored for what may never be.
import type { Database } from '@taskgraph/graph-store/driver/database';
import * as integrity from '@taskgraph/testkit/integrity/inconsistencies';
import { usersMade } from './harness.ts';

/**
 * Everything that is wrong with what this file has made, as `what: id`; or with all that there is,
 * once nobody writes any more.
 */
export function findInconsistencies(
  database: Database,
  of: readonly string[] | 'everybody' = usersMade,
): Promise<string[]> {
  return integrity.findInconsistencies(database, of);
}
