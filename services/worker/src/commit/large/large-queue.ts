// The queue of commands that are too large to share a transaction. One commits at a time, beside
// the groups.
import { countedUser } from '@taskgraph/wire/actor';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { FairQueue } from '../../fair-queue.ts';
import type { Job } from '../job.ts';

interface LargeQueueOptions {
  /** Most commands that wait. Further ones are refused. */
  readonly commands: number;
  /** Most bytes of payload that wait. */
  readonly bytes: number;
  /** Commits a command and answers it. Must not reject. */
  readonly commit: (job: Job) => Promise<void>;
  /** A counter that grows with each command of this worker. */
  readonly otherWork: () => number;
}

/**
 * The longest pause after a command. The queue pauses for the duration of the command if other
 * commands arrived meanwhile: each large command occupies a processor of the database, and a series
 * of them must leave time for others.
 */
const LONGEST_REST_MS = 2_000;

/** One user's share of the waiting commands, so that a busy user leaves room for others. */
const USER_SHARE = 1 / 4;

export interface LargeQueue {
  /** Queues a command. Resolves when it is answered. Users take turns. */
  take(job: Job): Promise<void>;
  /** The number that waits, and whether one commits now. */
  waiting(): number;
  busy(): boolean;
}

interface QueuedCommand {
  readonly job: Job;
  readonly done: () => void;
}

export function createLargeQueue(options: LargeQueueOptions): LargeQueue {
  const queue = new FairQueue<QueuedCommand>();
  let bytes = 0;
  let busy = false;
  /** By performance.now(). */
  let restUntil = 0;

  const commit = async ({ job }: QueuedCommand) => {
    const [startedAt, before] = [performance.now(), options.otherWork()];
    await options.commit(job);
    const endedAt = performance.now();
    restUntil = options.otherWork() === before ? endedAt : endedAt + Math.min(endedAt - startedAt, LONGEST_REST_MS);
  };

  const work = async () => {
    busy = true;
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      bytes -= entry.job.bytes;
      const restMs = restUntil - performance.now();
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      await commit(entry);
      entry.done();
    }
    busy = false;
  };

  return {
    async take(job) {
      const id = countedUser(job.message.actor);
      const isFull = queue.size >= options.commands || bytes >= options.bytes;
      if (busy && (isFull || queue.sizeOf(id) >= Math.ceil(options.commands * USER_SHARE))) {
        const refusal = refuse('unavailable', 'Too many large commands are waiting.', { outcome: 'not_done' });
        job.answer(refusalReply(refusal));
        return;
      }
      bytes += job.bytes;
      await new Promise<void>((done) => {
        queue.push(id, { job, done });
        if (!busy) void work();
      });
    },
    waiting: () => queue.size,
    busy: () => busy,
  };
}
