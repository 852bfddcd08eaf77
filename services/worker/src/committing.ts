// What happens to a group whose transaction fails: another try, smaller groups, and in the end an answer for every command.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failureOf } from '@taskgraph/graph-store/failures';
import { planGroups } from '@taskgraph/graph-store/planning';
import type { Log } from '@taskgraph/runtime/log';
import { refuse } from '@taskgraph/wire/errors';
import { commitGroup, type GroupEnvironment, type GroupMode, type GroupModes } from './group.ts';
import { inGroupSpan } from './group-span.ts';
import { type Job, refusalReply } from './job.ts';

/** A group is tried this often, all in all, before a passing failure halves it. */
const MAXIMUM_TRIES = 3;
/** Wait between tries, milliseconds; multiplied by the number of the try, with jitter. */
const RETRY_WAIT_MS = 20;
/** Wait while the database is away, milliseconds: it comes back or the commands' deadlines pass. */
const AWAY_WAIT_MS = 250;

/** Makes the function that commits a group and answers each of its jobs, whatever happens. It never rejects. */
export function createCommitter(
  environment: GroupEnvironment,
  modes: GroupModes,
  log: Log,
): (group: Job[]) => Promise<void> {
  // One large command at a time in a worker: each may hold its locks for long.
  let alone: Promise<void> = Promise.resolve();
  let planning: Promise<void> | null = null;

  const commit = async (jobs: Job[], mode: GroupMode): Promise<void> => {
    const failure = await tryOften(jobs, mode);
    if (typeof failure !== 'string') return commitLeft(failure);
    if (jobs.length > 1) {
      for (const part of split(jobs, failure)) await commit(part, mode);
      return;
    }
    const [job] = jobs as [Job];
    // Alone it has ten times as long, and all the memory that a transaction may take.
    if ((failure === 'too_large' || failure === 'slow') && mode === modes.together) return commitAlone(job);
    job.answer(finalAnswer(failure));
  };

  /** Tries a group. Gives the jobs that must go alone, or the failure that stayed; all others are answered. */
  const tryOften = async (jobs: Job[], mode: GroupMode): Promise<Job[] | Failure> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inGroupSpan(jobs, () => commitGroup(jobs, mode, environment));
      } catch (error) {
        const failure = failureOf(error);
        environment.onFailure?.(failure);
        log[failure === 'broken' ? 'error' : 'warn']({ error, failure, attempt, jobs: jobs.length }, 'a group failed');
        dropLate(jobs, environment.nowMs());
        if (jobs.length === 0) return [];
        if (failure === 'away') {
          await sleep(AWAY_WAIT_MS * (0.5 + Math.random()));
          await plannedAnew();
          dropLate(jobs, environment.nowMs());
          if (jobs.length === 0) return [];
        } else if ((failure === 'passing' || failure === 'duplicate') && attempt < MAXIMUM_TRIES) {
          await sleep(RETRY_WAIT_MS * attempt * (0.5 + Math.random()));
        } else return failure;
      }
    }
  };

  /** A database that was away may be a new process, which has no plans. All lanes wait for the same ones. */
  const plannedAnew = (): Promise<void> => {
    planning ??= planGroups(environment.database)
      .catch((error: unknown) => log.info({ error }, 'the database can not plan yet'))
      .finally(() => {
        planning = null;
      });
    return planning;
  };

  /** The first job goes alone, since it is what held the others back. */
  const commitLeft = async (left: Job[]): Promise<void> => {
    const [first, ...others] = left;
    if (first === undefined) return;
    await commitAlone(first);
    if (others.length > 0) await commit(others, modes.together);
  };

  const commitAlone = (job: Job): Promise<void> => {
    const done = alone.then(() => commit([job], modes.alone));
    // What goes wrong with this one is told to its caller; the next one in line must not inherit it.
    alone = done.catch(() => undefined);
    return done;
  };

  return async (group) => {
    try {
      await commit([...group], modes.together);
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

/** Answers the jobs whose deadline has passed meanwhile, and takes them out. */
function dropLate(jobs: Job[], nowMs: number): void {
  for (const job of jobs.filter(({ message }) => message.deadline <= nowMs)) {
    // A failed commit may have gone through all the same; only the key could tell, and there is no time left to ask.
    job.answer(refusalReply(refuse('unavailable', 'The database did not do it in time.', { outcome: 'unknown' })));
    jobs.splice(jobs.indexOf(job), 1);
  }
}

function finalAnswer(failure: Failure) {
  if (failure === 'too_large') {
    return refusalReply(refuse('bad_request.too_large', 'It touches more than one transaction can hold.'));
  }
  if (failure === 'broken')
    return refusalReply(refuse('internal.exception', 'An unexpected failure; nothing was changed.'));
  // Where a lock was not had or time ran out, nothing was written; of the others, the commit itself may be what failed.
  const outcome = failure === 'locked' || failure === 'slow' ? 'not_done' : 'unknown';
  return refusalReply(refuse('unavailable', 'The database was too busy for this; try again.', { outcome }));
}
