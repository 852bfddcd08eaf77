// The completion of a decided group: the rows to write, and after the commit the cache, the
// messages and the answers.
import { bumpedOwners } from '@taskgraph/commands/pipeline/bumped-owners';
import type { GroupDecision } from '@taskgraph/commands/pipeline/decide-group';
import { newExpirations } from '@taskgraph/commands/pipeline/new-expirations';
import type { LockedUser } from '@taskgraph/domain/state/state';
import type { WritePlan } from '@taskgraph/graph-store/commit/write';
import type { CachedWorld } from './cache/graph-cache.ts';
import { DeadlinePassed, type GroupEnvironment } from './group-environment.ts';
import { isOver, type Job } from './job.ts';

export type Decision = GroupDecision<Job>;

/** The rows to be written of a decision. */
export function writePlanOf(decision: Decision, { historyForm }: Pick<GroupEnvironment, 'historyForm'>): WritePlan {
  const { changes, batches, heads: feeds, nodeOf, times } = decision.writes;
  return { changes, batches, feeds, nodeOf, bumped: bumpedOwners(decision), lastTs: times.newest, historyForm };
}

/** A decided group that needs the database no more. */
interface CompletedGroup {
  readonly decision: Decision;
  readonly users: ReadonlyMap<string, LockedUser>;
  readonly cachedWorld: CachedWorld;
  readonly bumped: ReadonlySet<string>;
  readonly decidedAtMs: number;
}

/** Updates the cache, publishes the group's messages and answers its jobs. */
export function completeGroup(
  { decision, users, cachedWorld, bumped, decidedAtMs }: CompletedGroup,
  environment: GroupEnvironment,
): void {
  const { now, replies, before, after, writes } = decision;
  const { heads, times } = writes;
  environment.owners.learn(after, users);
  cachedWorld.store({ users, before, after, bumped, heads, newest: times.newest });
  if (writes.batches.length > 0) publishDecision(decision, environment);
  for (const [job, reply] of replies) job.answer(reply);
  environment.onGroup?.({ decidedAtMs, now, replies, before, after });
}

/**
 * Throws where a command is past its deadline, or its partition has moved: its sender may already
 * have sent another one, or asked another worker.
 */
export function throwIfLate({ replies }: Decision, nowMs: number): void {
  for (const [job, { ok }] of replies) if (ok && isOver(job, nowMs)) throw new DeadlinePassed();
}

/** A failure must not reach the callers: their commands are committed, and are answered so. */
function publishDecision({ messages, writes }: Decision, { publish, onUnpublished }: GroupEnvironment): void {
  try {
    const { readers, feeds, publications } = messages.control;
    const control = { readers: [...readers], feeds: [...feeds.values()], publications: [...publications] };
    publish(messages.slices, control, newExpirations(writes.changes));
  } catch (error) {
    onUnpublished(error);
  }
}
