// The horizon: the time up to which every batch is committed. Rule: HISX2.
import { readOpenCommits } from '@taskgraph/graph-store/commit/open-commits';
import { HISTORY_LAG_MS, LARGE_LAG_MS } from '../../commit/commit-age.ts';
import type { ReadEnvironment } from '../read-handler.ts';

/**
 * The horizon in the form of stored times. Read the batches only after the horizon: a large command
 * that begins in between is later than the horizon, and one that ends in between is committed.
 */
export async function historyHorizon(
  { database, nowMs }: Pick<ReadEnvironment, 'database' | 'nowMs'>,
  lagMs = HISTORY_LAG_MS,
): Promise<string> {
  const { nowMs: databaseMs, sincesMs } = await readOpenCommits(database);
  // The database's clock may be ahead of all workers' clocks until they correct theirs.
  const completeMs = Math.min(databaseMs, nowMs()) - lagMs;
  return new Date(Math.min(completeMs, ...sincesMs.map((ms) => ms - LARGE_LAG_MS))).toISOString();
}
