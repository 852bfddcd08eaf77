// The end of a decided group, whichever way it went: what is written of it, and who is told once it is committed.
import { aheadMs } from '@taskgraph/commands/pipeline/batch-times';
import { bumpedOwners } from '@taskgraph/commands/pipeline/bumped-owners';
import type { GroupDecision } from '@taskgraph/commands/pipeline/decide-group';
import { newExpirations } from '@taskgraph/commands/pipeline/new-expirations';
import type { LockedUser } from '@taskgraph/domain/state/state';
import type { WritePlan } from '@taskgraph/graph-store/commit/write';
import { type GroupEnvironment, Late } from './group-environment.ts';
import { isOver, type Job } from './job.ts';
import type { Recollection } from './memory/graph-memory.ts';

/** Clocks of workers may differ by this much without anybody being told. */
const CLOCK_TOLERANCE_MS = 1_000;
export type Decision = GroupDecision<Job>;

/** The rows to be written of a decision. */
export function planOf(decision: Decision): WritePlan {
  const { changes, batches, heads: feeds, nodeOf, times } = decision;
  return { changes, batches, feeds, nodeOf, bumped: bumpedOwners(decision), lastTs: times.newest };
}

interface Finished {
  readonly decision: Decision;
  readonly users: ReadonlyMap<string, LockedUser>;
  readonly recollection: Recollection;
  readonly bumped: ReadonlySet<string>;
  readonly decidedAtMs: number;
}

/** Nothing of a group is left to be done in the database: it is remembered, told and answered. */
export function finish(
  { decision, users, recollection, bumped, decidedAtMs }: Finished,
  environment: GroupEnvironment,
): void {
  const { now, replies, before, after, heads, times } = decision;
  environment.owners.learn(after, users);
  recollection.keep({ users, before, after, bumped, heads, newest: times.newest });
  if (decision.batches.length > 0) publishDecision(decision, environment);
  for (const [job, reply] of replies) job.answer(reply);
  environment.onGroup?.({ decidedAtMs, now, replies, before, after });
}

/**
 * The sender of a command was told at its deadline that it is not known to be done, and may have sent another one since; or another worker has the
 * partition and was asked again.
 */
export function refuseLate({ replies }: Decision, nowMs: number): void {
  for (const [job, { ok }] of replies) if (ok && isOver(job, nowMs)) throw new Late();
}

/** Nothing that fails here may reach the callers, who are still to be told that their commands are done. */
function publishDecision({ slices, control, changes }: Decision, { publish, onUnpublished }: GroupEnvironment): void {
  try {
    const { readers, feeds, publications } = control;
    const told = { readers: [...readers], feeds: [...feeds.values()], publications: [...publications] };
    publish(slices, told, newExpirations(changes));
  } catch (error) {
    onUnpublished(error);
  }
}

/** The makers of ids and tokens, for a decision. */
export function newIdsOf({ newId, newToken }: GroupEnvironment) {
  return { newId, newToken };
}

/** Tells where an owner's newest batch is later than now. */
export function tellAhead(users: ReadonlyMap<string, LockedUser>, now: string, { onAhead }: GroupEnvironment): void {
  const ahead = aheadMs(users, now);
  if (ahead > CLOCK_TOLERANCE_MS) onAhead?.(ahead);
}
