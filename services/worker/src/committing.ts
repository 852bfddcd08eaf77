// What happens to a group whose transaction fails: another try, smaller groups, and in the end an answer for every command.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failureOf } from '@taskgraph/graph-store/failures';
import { refuse } from '@taskgraph/wire/errors';
import type { Log } from '@taskgraph/runtime/log';
import { ALONE, commitGroup, type GroupEnvironment, type GroupMode, TOGETHER } from './group.ts';
import { type Job, refusalReply } from './job.ts';

/** A passing failure is tried again this often before the group is halved. */
const MAXIMUM_TRIES = 3;
/** Wait between tries, milliseconds; multiplied by the number of the try, with jitter. */
const RETRY_WAIT_MS = 20;
/** Wait while the database is away, milliseconds: it comes back or the commands' deadlines pass. */
const AWAY_WAIT_MS = 250;

/** Makes the function that commits a group and answers each of its jobs, whatever happens. It never rejects. */
export function createCommitter(environment: GroupEnvironment, log: Log): (group: Job[]) => Promise<void> {
  // One large command at a time in a worker: each may hold its locks for long.
  let alone: Promise<void> = Promise.resolve();

  const commit = async (jobs: Job[], mode: GroupMode): Promise<void> => {
    const failure = await tryOften(jobs, mode);
    if (failure === null) return;
    if (jobs.length > 1) {
      for (const part of split(jobs, failure)) await commit(part, mode);
      return;
    }
    const [job] = jobs as [Job];
    if (failure === 'too_large' && mode === TOGETHER) return commitAlone(job);
    job.answer(finalAnswer(failure));
  };

  /** Tries a group; null when all is answered, else the failure that stayed. */
  const tryOften = async (jobs: Job[], mode: GroupMode): Promise<Failure | null> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const left = await commitGroup(jobs, mode, environment);
        await commitLeft(left);
        return null;
      } catch (error) {
        const failure = failureOf(error);
        log[failure === 'broken' ? 'error' : 'warn']({ error, failure, attempt, jobs: jobs.length }, 'a group failed');
        if (failure === 'away') {
          dropLate(jobs);
          if (jobs.length === 0) return null;
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
        } else if ((failure === 'passing' || failure === 'duplicate') && attempt < MAXIMUM_TRIES) {
          await sleep(RETRY_WAIT_MS * attempt * (0.5 + Math.random()));
        } else return failure;
      }
    }
  };

  /** The first job goes alone, since it is what held the others back. */
  const commitLeft = async (left: Job[]): Promise<void> => {
    const [first, ...others] = left;
    if (first === undefined) return;
    await commitAlone(first);
    if (others.length > 0) await commit(others, TOGETHER);
  };

  const commitAlone = (job: Job): Promise<void> => {
    alone = alone.then(() => commit([job], ALONE));
    return alone;
  };

  return async (group) => {
    try {
      await commit([...group], TOGETHER);
    } catch (error) {
      log.error({ error }, 'a group could not be answered');
      for (const job of group) job.answer(finalAnswer('broken'));
    }
  };
}

/** By slot where a lock was the trouble, so that others need not wait for it; else in halves, until the bad command stands alone. */
function split(jobs: Job[], failure: Failure): Job[][] {
  if (failure === 'locked') {
    const bySlot = new Map<number, Job[]>();
    for (const job of jobs) bySlot.set(job.slot, [...(bySlot.get(job.slot) ?? []), job]);
    if (bySlot.size > 1) return [...bySlot.values()];
  }
  const middle = Math.ceil(jobs.length / 2);
  return [jobs.slice(0, middle), jobs.slice(middle)];
}

/** Answers the jobs whose deadline has passed while the database was away, and takes them out. */
function dropLate(jobs: Job[]): void {
  const now = Date.now();
  for (const job of jobs.filter(({ message }) => message.deadline <= now)) {
    // The failed commit may have gone through; only the key could tell, and the database is away.
    job.answer(refusalReply(refuse('unavailable', 'The database is away.', { outcome: 'unknown' })));
    jobs.splice(jobs.indexOf(job), 1);
  }
}

function finalAnswer(failure: Failure) {
  if (failure === 'too_large') {
    return refusalReply(refuse('bad_request.too_large', 'It touches more than one transaction can hold.'));
  }
  if (failure === 'broken') return refusalReply(refuse('internal.exception', 'An unexpected failure; nothing was changed.'));
  return refusalReply(refuse('unavailable', 'The database was too busy for this; try again.', { outcome: 'unknown' }));
}
