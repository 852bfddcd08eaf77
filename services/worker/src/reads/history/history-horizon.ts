// The time up to which history is complete: every batch until then is committed. Rule: HISX2.
import { readOpenCommits } from '@taskgraph/graph-store/commit/open-commits';
import { HISTORY_LAG_MS, LARGE_LAG_MS } from '../../commit/commit-age.ts';
import type { ReadEnvironment } from '../read-handler.ts';

/**
 * The horizon as a stored time. Batches must be read after it: a large command that begins
 * meanwhile is later than the horizon, and one that has ended meanwhile is in the database.
 */
export async function historyHorizon(
  { database, nowMs }: Pick<ReadEnvironment, 'database' | 'nowMs'>,
  lagMs = HISTORY_LAG_MS,
): Promise<string> {
  const { nowMs: databaseMs, sincesMs } = await readOpenCommits(database);
  // The clock of the database may jump ahead of all workers, until they correct theirs.
  const completeMs = Math.min(databaseMs, nowMs()) - lagMs;
  return new Date(Math.min(completeMs, ...sincesMs.map((ms) => ms - LARGE_LAG_MS))).toISOString();
}
