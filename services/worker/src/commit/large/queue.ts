// The queue of commands that go alone, since they are too large to share a transaction: one at a time, apart from groups.
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { Job } from '../job.ts';

interface Options {
  /** Most commands that wait here; past it they are refused. */
  readonly commands: number;
  /** Most bytes of payload that wait here. */
  readonly bytes: number;
  /** Commits a command and answers it. It must not reject. */
  readonly commit: (job: Job) => Promise<void>;
  /** A number that grows with each command of this worker. */
  readonly otherWork: () => number;
}

/**
 * After a command beside which others came, the lane rests for as long as it took, and no longer than this: a large command takes the
 * database a processor, and one after the other must not keep it from all others for good.
 */
const LONGEST_REST_MS = 2_000;

/** The part of what may wait that one user may have: others’ large commands must find room beside those of one who sends many. */
const USER_SHARE = 1 / 4;

export interface LargeQueue {
  /** Takes a command; resolves when it is answered. Users take turns, so that one with many such commands does not keep others back. */
  take(job: Job): Promise<void>;
  /** How many wait, and whether one is at work. */
  waiting(): number;
  busy(): boolean;
}

interface Entry {
  readonly job: Job;
  readonly done: () => void;
}

export function createLargeQueue(options: Options): LargeQueue {
  const users = new Map<string, Entry[]>();
  let count = 0;
  let bytes = 0;
  let busy = false;
  /** By performance.now(). */
  let restUntil = 0;

  const next = (): Entry | undefined => {
    const first = users.entries().next();
    if (first.done) return undefined;
    const [user, entries] = first.value;
    users.delete(user);
    const entry = entries.shift() as Entry;
    if (entries.length > 0) users.set(user, entries);
    count--;
    bytes -= entry.job.bytes;
    return entry;
  };

  const commit = async ({ job }: Entry) => {
    const [startedAt, before] = [performance.now(), options.otherWork()];
    await options.commit(job);
    const endedAt = performance.now();
    restUntil = options.otherWork() === before ? endedAt : endedAt + Math.min(endedAt - startedAt, LONGEST_REST_MS);
  };

  const work = async () => {
    busy = true;
    for (let entry = next(); entry !== undefined; entry = next()) {
      const restMs = restUntil - performance.now();
      if (restMs > 0) await sleep(restMs);
      await commit(entry);
      entry.done();
    }
    busy = false;
  };

  return {
    async take(job) {
      const { id } = job.message.actor;
      const own = users.get(id)?.length ?? 0;
      const isFull = count >= options.commands || bytes >= options.bytes;
      if (busy && (isFull || own >= Math.ceil(options.commands * USER_SHARE))) {
        const refusal = refuse('unavailable', 'Too many large commands are waiting.', { outcome: 'not_done' });
        job.answer(refusalReply(refusal));
        return;
      }
      count++;
      bytes += job.bytes;
      await new Promise<void>((done) => {
        const entries = users.get(id);
        if (entries) entries.push({ job, done });
        else users.set(id, [{ job, done }]);
        if (!busy) void work();
      });
    },
    waiting: () => count,
    busy: () => busy,
  };
}
