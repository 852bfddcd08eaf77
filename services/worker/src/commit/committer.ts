// Retries failed groups, splits them, and gives every command an answer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { createLoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import { planGroups, planStatement } from '@taskgraph/graph-store/commit/plan-warm-up';
import { type Failure, failureOf } from '@taskgraph/graph-store/driver/failures';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { commitGroup } from './commit-group.ts';
import { DeadlinePassed, DecisionTooOld, type GroupEnvironment } from './group-environment.ts';
import type { GroupMode, GroupModes } from './group-modes.ts';
import type { GroupRemainder } from './group-scheduler.ts';
import { inGroupSpan } from './group-span.ts';
import { isOver, type Job } from './job.ts';
import type { RemainingJobs } from './loaded-commit.ts';

/**
 * Parts of blocked groups that commit at once. Most of them wait for a lock, which costs next to
 * nothing.
 */
export const PARTS_AT_ONCE = 8;
/** Attempts of a group before a transient failure counts as permanent. */
const MAXIMUM_TRIES = 3;
/** Wait between attempts, milliseconds; multiplied by the number of the attempt, with jitter. */
const RETRY_WAIT_MS = 20;
/**
 * The total time that a single command waits for its locks, milliseconds. The database ends each
 * attempt sooner, and other commands run between two attempts, so one lock delays no one else for
 * long.
 */
const LOCK_TIMEOUT_MS = 3_000;
/** Wait between attempts while the database is unreachable, milliseconds. */
const AWAY_WAIT_MS = 250;

/** Commits jobs and answers every one of them. No function rejects. */
export interface Committer {
  /**
   * Commits a group of many slots as a whole. After a failure all its jobs are returned as
   * `blocked`.
   */
  commit(group: Job[]): Promise<GroupRemainder>;
  /**
   * Commits jobs of one slot, and halves them after a failure until the failing command is alone. A
   * command without a lock is returned, with all behind it.
   */
  commitPart(group: Job[]): Promise<GroupRemainder>;
  /** Commits one job in a transaction with ten times the time and all the memory. */
  commitLarge(job: Job): Promise<void>;
}

const NO_REMAINDER: GroupRemainder = { stuck: [], later: [], blocked: [], failed: false };

/**
 * `planGroups` must have run. Tests raise `lockTimeoutMs`, because they hold locks for as long as
 * a slow machine needs.
 */
export function createCommitter(
  given: Omit<GroupEnvironment, 'loadStatementFor'>,
  modes: GroupModes,
  log: Log,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): Committer {
  let planning: Promise<void> | null = null;
  const onFailure = (error: unknown) => log.info({ error }, 'the database cannot plan yet');
  const loadPlans = createLoadPlans({ plan: (statement) => planStatement(given.database, statement), onFailure });
  const environment: GroupEnvironment = { ...given, loadStatementFor: loadPlans.statementFor };

  /** The first attempt of each single command that waits for a lock, by performance.now(). */
  const lockedOut = new WeakMap<Job, number>();
  const mayWaitForLock = (job: Job, startedAt: number): boolean => {
    const since = lockedOut.get(job) ?? startedAt;
    lockedOut.set(job, since);
    return startedAt - since < lockTimeoutMs;
  };

  /**
   * Returns the remaining jobs, or the failure of the last attempt. All other jobs are answered.
   */
  const commitWithRetries = async (jobs: Job[], mode: GroupMode): Promise<RemainingJobs | Failure> => {
    for (let attempt = 1; ; attempt++) {
      dropLate(jobs);
      if (jobs.length === 0) return NO_REMAINDER;
      const startedAt = performance.now();
      try {
        return await inGroupSpan(jobs, () => commitGroup(jobs, mode, environment));
      } catch (error) {
        if (error instanceof DeadlinePassed || error instanceof DecisionTooOld) {
          // A command with less time left than this attempt took would make the next attempt late
          // as well.
          dropLate(jobs, performance.now() - startedAt);
          continue;
        }
        const failure = failureOf(error);
        environment.onFailure?.(failure);
        log[failure === 'broken' ? 'error' : 'warn']({ error, failure, attempt, jobs: jobs.length }, 'a group failed');
        if (failure === 'away') {
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
          loadPlans.forget();
          await planAgain();
        } else if (failure === 'slow') {
          // The database may have restarted unnoticed, or lost its plans by a change of the schema.
          await planAgain();
          return failure;
        } else if (failure === 'crowded') {
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
        } else if ((failure === 'passing' || failure === 'duplicate') && attempt < MAXIMUM_TRIES) {
          await sleep(RETRY_WAIT_MS * attempt * (0.5 + Math.random()));
        } else return failure;
      }
    }
  };

  /** Takes a round trip if the database has the plans. All groups wait for one planning. */
  const planAgain = (): Promise<void> => {
    planning ??= planGroups(environment.database)
      .catch(onFailure)
      .finally(() => {
        planning = null;
      });
    return planning;
  };

  /** Answers and removes the jobs that expire within this number of milliseconds. */
  const dropLate = (jobs: Job[], withinMs = 0): void => {
    const nowMs = environment.nowMs() + withinMs;
    for (const job of jobs.filter((one) => isOver(one, nowMs))) {
      environment.onLate?.();
      // A failed commit may have succeeded after all. Only the key could tell, and no time is left
      // to ask.
      job.answer(refusalReply(refuse('unavailable', 'The database did not answer in time.', { outcome: 'unknown' })));
      jobs.splice(jobs.indexOf(job), 1);
    }
  };

  const commitBisected = async (jobs: Job[]): Promise<GroupRemainder> => {
    const startedAt = performance.now();
    const failure = await commitWithRetries(jobs, modes.together);
    if (typeof failure !== 'string') return { ...NO_REMAINDER, ...failure };
    if (jobs.length === 1) {
      const [job] = jobs as [Job];
      if (failure === 'too_large' || failure === 'slow') return { ...NO_REMAINDER, stuck: [job], failed: true };
      if (failure === 'locked' && mayWaitForLock(job, startedAt))
        return { ...NO_REMAINDER, blocked: [job], failed: true };
      job.answer(finalAnswer(failure));
      return { ...NO_REMAINDER, failed: true };
    }
    const middle = Math.ceil(jobs.length / 2);
    const [first, second] = [jobs.slice(0, middle), jobs.slice(middle)];
    const { stuck, later, blocked } = await commitBisected(first);
    // All jobs are of one slot, so the second half waits for the first.
    if (stuck.length > 0) return { ...NO_REMAINDER, stuck: [...stuck, ...second], failed: true };
    if (later.length > 0) return { ...NO_REMAINDER, later: [...later, ...second], failed: true };
    if (blocked.length > 0) return { ...NO_REMAINDER, blocked: [...blocked, ...second], failed: true };
    return { ...(await commitBisected(second)), failed: true };
  };

  const large = async (job: Job): Promise<void> => {
    for (;;) {
      const startedAt = performance.now();
      const failure = await commitWithRetries([job], modes.large);
      if (typeof failure !== 'string') return;
      if (failure !== 'locked' || !mayWaitForLock(job, startedAt)) return job.answer(finalAnswer(failure));
      await sleep(RETRY_WAIT_MS * (0.5 + Math.random()));
    }
  };

  /** Answers a group even if the committer itself throws. */
  const withFinalAnswer = async <T>(group: readonly Job[], work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      log.error({ error }, 'a group could not be answered');
      for (const job of group) job.answer(finalAnswer('broken'));
      return otherwise;
    }
  };

  return {
    commit: (group) =>
      withFinalAnswer(
        group,
        async () => {
          const jobs = [...group];
          const failure = await commitWithRetries(jobs, modes.together);
          if (typeof failure !== 'string') return { ...NO_REMAINDER, ...failure };
          return { ...NO_REMAINDER, blocked: jobs, failed: true };
        },
        NO_REMAINDER,
      ),
    commitPart: (group) => withFinalAnswer(group, () => commitBisected([...group]), NO_REMAINDER),
    commitLarge: (job) => withFinalAnswer([job], () => large(job), undefined),
  };
}

/** The answer to a command that did not get its locks. Nothing was written. */
export const LOCKED_OUT = tooBusy('not_done');

function tooBusy(outcome: 'not_done' | 'unknown'): Reply {
  return refusalReply(refuse('unavailable', 'The database was too busy; try again.', { outcome }));
}

function finalAnswer(failure: Failure): Reply {
  if (failure === 'too_large') {
    return refusalReply(refuse('bad_request.too_large', 'The command touches more than one transaction can hold.'));
  }
  if (failure === 'broken') {
    // The failure may be that of the commit itself.
    return refusalReply(refuse('internal.exception', 'An unexpected failure.', { outcome: 'unknown' }));
  }
  if (failure === 'locked') return LOCKED_OUT;
  // Without the time nothing was written. Any other failure may be that of the commit itself.
  return tooBusy(failure === 'slow' ? 'not_done' : 'unknown');
}
