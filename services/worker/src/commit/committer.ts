// The way of a group whose transaction fails: another try, smaller groups, and in the end an answer for every command.

import { setTimeout as sleep } from 'node:timers/promises';
import { createLoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import { planGroups, planStatement } from '@taskgraph/graph-store/commit/plan-warm-up';
import { type Failure, failureOf } from '@taskgraph/graph-store/driver/failures';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import { type GroupEnvironment, Late } from './group-environment.ts';
import type { GroupMode, GroupModes } from './group-modes.ts';
import { inGroupSpan } from './group-span.ts';
import { isOver, type Job } from './job.ts';
import type { Unfinished } from './scheduler.ts';
import { commitGroup, type RemainingJobs } from './transaction.ts';

/** Parts of groups that were held up which commit at once; most of them wait for a lock, which costs next to nothing. */
export const PARTS_AT_ONCE = 8;
/** A group is tried this often, all in all, before a passing failure is more than that. */
const MAXIMUM_TRIES = 3;
/** Wait between tries, milliseconds; multiplied by the number of the try, with jitter. */
const RETRY_WAIT_MS = 20;
/**
 * How long a command that is by itself waits for its locks all in all, milliseconds. The database breaks each try off sooner, and between two
 * tries others have their turn, so that nobody stands still for long behind one lock.
 */
const LOCK_PATIENCE_MS = 3_000;
/** Wait while the database is away, milliseconds: it comes back or the commands' deadlines pass. */
const AWAY_WAIT_MS = 250;

/** Commits jobs and answers them, whatever happens. None of its functions rejects. */
export interface Committer {
  /** Tries a group of many slots as a whole. A failure is left to whoever has more time. */
  commit(group: Job[]): Promise<Unfinished>;
  /** Commits jobs of one slot, in halves where they fail, until a bad command stands alone. One that lacks a lock is given back for a while, with all behind it. */
  commitPart(group: Job[]): Promise<Unfinished>;
  /** Commits one job, with ten times as long and all the memory that a transaction may take. */
  commitLarge(job: Job): Promise<void>;
}

const FINISHED: Unfinished = { stuck: [], later: [], heldUp: [], failed: false };

/** `planGroups` must have been done. `lockPatienceMs` is for tests, which keep locks as long as their machine is slow. */
export function createCommitter(
  given: Omit<GroupEnvironment, 'loadStatementFor'>,
  modes: GroupModes,
  log: Log,
  lockPatienceMs = LOCK_PATIENCE_MS,
): Committer {
  let planning: Promise<void> | null = null;
  const onFailure = (error: unknown) => log.info({ error }, 'the database cannot plan yet');
  const loadPlans = createLoadPlans({ plan: (statement) => planStatement(given.database, statement), onFailure });
  const environment: GroupEnvironment = { ...given, loadStatementFor: loadPlans.statementFor };

  /** When each command that is by itself was first tried behind a lock, by performance.now(). */
  const lockedOut = new WeakMap<Job, number>();
  const mayWaitForLock = (job: Job, startedAt: number): boolean => {
    const since = lockedOut.get(job) ?? startedAt;
    lockedOut.set(job, since);
    return startedAt - since < lockPatienceMs;
  };

  /** Tries a group. Gives the jobs that it left, or the failure that stayed; all others are answered. */
  const tryOften = async (jobs: Job[], mode: GroupMode): Promise<RemainingJobs | Failure> => {
    for (let attempt = 1; ; attempt++) {
      dropLate(jobs);
      if (jobs.length === 0) return FINISHED;
      const startedAt = performance.now();
      try {
        return await inGroupSpan(jobs, () => commitGroup(jobs, mode, environment));
      } catch (error) {
        if (error instanceof Late) {
          // A command with less time left than this try took would make the next one late as well.
          dropLate(jobs, performance.now() - startedAt);
          continue;
        }
        const failure = failureOf(error);
        environment.onFailure?.(failure);
        log[failure === 'broken' ? 'error' : 'warn']({ error, failure, attempt, jobs: jobs.length }, 'a group failed');
        if (failure === 'away') {
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
          await plannedAnew();
        } else if (failure === 'crowded') {
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
        } else if ((failure === 'passing' || failure === 'duplicate') && attempt < MAXIMUM_TRIES) {
          await sleep(RETRY_WAIT_MS * attempt * (0.5 + Math.random()));
        } else return failure;
      }
    }
  };

  /** A database that was away may be a new process, which has no plans. All groups wait for the same ones. */
  const plannedAnew = (): Promise<void> => {
    loadPlans.forget();
    planning ??= planGroups(environment.database)
      .catch(onFailure)
      .finally(() => {
        planning = null;
      });
    return planning;
  };

  /** Answers the jobs that must not be done any more, or not within so many milliseconds, and takes them out. */
  const dropLate = (jobs: Job[], withinMs = 0): void => {
    const nowMs = environment.nowMs() + withinMs;
    for (const job of jobs.filter((one) => isOver(one, nowMs))) {
      environment.onLate?.();
      // A failed commit may have gone through all the same; only the key could tell, and there is no time left to ask.
      job.answer(refusalReply(refuse('unavailable', 'The database did not do it in time.', { outcome: 'unknown' })));
      jobs.splice(jobs.indexOf(job), 1);
    }
  };

  const commitBisected = async (jobs: Job[]): Promise<Unfinished> => {
    const startedAt = performance.now();
    const failure = await tryOften(jobs, modes.together);
    if (typeof failure !== 'string') return { ...FINISHED, ...failure };
    if (jobs.length === 1) {
      const [job] = jobs as [Job];
      if (failure === 'too_large' || failure === 'slow') return { ...FINISHED, stuck: [job], failed: true };
      if (failure === 'locked' && mayWaitForLock(job, startedAt)) return { ...FINISHED, heldUp: [job], failed: true };
      job.answer(finalAnswer(failure));
      return { ...FINISHED, failed: true };
    }
    const middle = Math.ceil(jobs.length / 2);
    const [first, second] = [jobs.slice(0, middle), jobs.slice(middle)];
    const { stuck, later, heldUp } = await commitBisected(first);
    // They are of one slot, so that the second half waits for what has to go alone, or comes back for its lock.
    if (stuck.length > 0) return { ...FINISHED, stuck: [...stuck, ...second], failed: true };
    if (later.length > 0) return { ...FINISHED, later: [...later, ...second], failed: true };
    if (heldUp.length > 0) return { ...FINISHED, heldUp: [...heldUp, ...second], failed: true };
    return { ...(await commitBisected(second)), failed: true };
  };

  const large = async (job: Job): Promise<void> => {
    for (;;) {
      const startedAt = performance.now();
      const failure = await tryOften([job], modes.large);
      if (typeof failure !== 'string') return;
      if (failure !== 'locked' || !mayWaitForLock(job, startedAt)) return job.answer(finalAnswer(failure));
      await sleep(RETRY_WAIT_MS * (0.5 + Math.random()));
    }
  };

  /** A bug in all this must not keep others waiting for ever. */
  const surely = async <T>(group: readonly Job[], work: () => Promise<T>, otherwise: T): Promise<T> => {
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
      surely(
        group,
        async () => {
          const jobs = [...group];
          const failure = await tryOften(jobs, modes.together);
          if (typeof failure !== 'string') return { ...FINISHED, ...failure };
          return { ...FINISHED, heldUp: jobs, failed: true };
        },
        FINISHED,
      ),
    commitPart: (group) => surely(group, () => commitBisected([...group]), FINISHED),
    commitLarge: (job) => surely([job], () => large(job), undefined),
  };
}

function finalAnswer(failure: Failure) {
  if (failure === 'too_large') {
    return refusalReply(refuse('bad_request.too_large', 'It touches more than one transaction can hold.'));
  }
  if (failure === 'broken') {
    // The commit itself may be what failed.
    return refusalReply(refuse('internal.exception', 'An unexpected failure.', { outcome: 'unknown' }));
  }
  // Where a lock was not had or time ran out, nothing was written here; of the others, the commit itself may be what failed.
  const outcome = failure === 'locked' || failure === 'slow' ? 'not_done' : 'unknown';
  return refusalReply(refuse('unavailable', 'The database was too busy for this; try again.', { outcome }));
}
