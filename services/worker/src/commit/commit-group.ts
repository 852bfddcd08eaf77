// Commits one group: from the cache if it has all data, otherwise in a transaction that loads.
import { commitFromCache } from './cached-commit.ts';
import type { GroupEnvironment } from './group-environment.ts';
import type { GroupMode } from './group-modes.ts';
import { type Job, withFollowers } from './job.ts';
import { commitLoaded, type RemainingJobs } from './loaded-commit.ts';

/**
 * Commits a group and answers its jobs, except those that it returns. Throws what `commitLoaded`
 * throws.
 */
export async function commitGroup(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<RemainingJobs> {
  const attempt = await commitFromCache(jobs, mode, environment);
  if ('later' in attempt) return { stuck: [], later: attempt.later };
  const stuck = withFollowers(jobs, attempt.tooMuch);
  if (stuck.length === jobs.length) return { stuck, later: [] };
  const rest = jobs.filter((job) => !stuck.includes(job));
  const remaining = await commitLoaded(rest, mode, environment, attempt.missing);
  return { ...remaining, stuck: [...stuck, ...remaining.stuck] };
}
