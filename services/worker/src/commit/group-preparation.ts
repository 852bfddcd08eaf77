// The preparation that both ways of committing share: what a group locks and reads, and the context
// in which it is decided.
import { aheadMs } from '@taskgraph/commands/pipeline/batch-times';
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { readSetOf } from '@taskgraph/commands/pipeline/initial-read-set';
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { LockRequest } from '@taskgraph/graph-store/commit/lock';
import type { GroupEnvironment } from './group-environment.ts';
import type { GroupMode } from './group-modes.ts';
import type { Job } from './job.ts';

/** Clocks of workers may differ by this much without a report. */
const CLOCK_TOLERANCE_MS = 1_000;

/** Locks and loads of a group besides those that its commands name. */
export interface ExtraRequest {
  readonly users: ReadonlySet<string>;
  readonly emails: ReadonlySet<string>;
  readonly readSet: ReadSet;
}

export interface GroupRequest {
  readonly readSet: ReadSet;
  readonly locks: LockRequest;
}

/** The locks and loads of a group before its first decision. */
export function requestOf(
  jobs: readonly Job[],
  extra: ExtraRequest,
  { owners }: Pick<GroupEnvironment, 'owners'>,
): GroupRequest {
  const readSet = mergeReadSets([...jobs.map((job) => readSetOf(job, owners)), extra.readSet]);
  const emails = new Set([...(readSet.principals ?? []), ...extra.emails]);
  return { readSet, locks: owners.lockRequest(jobs, readSet, { users: extra.users, emails }) };
}

/**
 * The context of a decision at the present time. Reports an owner whose newest batch is later than
 * now.
 */
export function contextOf(
  loaded: Pick<GroupContext, 'world' | 'users' | 'stored'>,
  { work }: GroupMode,
  { nowMs, newId, newToken, onAhead }: GroupEnvironment,
): GroupContext {
  const now = new Date(nowMs()).toISOString();
  const ahead = aheadMs(loaded.users, now);
  if (ahead > CLOCK_TOLERANCE_MS) onAhead?.(ahead);
  return { ...loaded, now, newId, newToken, bounds: work };
}
