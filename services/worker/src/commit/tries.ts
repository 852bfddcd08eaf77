// The tries of commands, so that what a caller was told last holds. A try may wait in another gateway while its caller tries again under the same key
// and is refused; done after that, it would be a change that the caller takes for refused. So a worker remembers what it answered without storing
// anything. Where a partition changes hands between the two tries, the worker that had it does none that it took before (lease.ts); one that comes to
// the new worker only then is done, as is one that its gateway has not even read (docs/reliability.md, "Not covered"). Rule: GEN8.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { Job } from './job.ts';

/** Refused tries that are remembered, and those that are at work. */
const MOST_KEYS = 10_000;
/** Longer than a gateway goes on trying. */
const KEPT_MS = 120_000;

interface Try {
  readonly id: string;
  readonly untilMs: number;
  /** Whether it was answered without anything being stored. */
  readonly empty: Promise<boolean>;
}

export interface Tries {
  /**
   * Notes a try that was not answered yet. Gives null where it may be done, else a promise: another try under the same key is as late or later,
   * and this one must not be done where that one's answer is that nothing is stored (true).
   */
  begin(job: Pick<Job, 'key' | 'message'>, reply: Promise<Reply>): Promise<boolean> | null;
}

/** Remembers tries. `nowMs` is any clock that never goes back. */
export function createTries(nowMs: () => number = () => performance.now()): Tries {
  const latest = new Map<string, Try>();

  function note(key: string, id: string, reply: Promise<Reply>): void {
    const made = { id, empty: reply.then(storesNothing), untilMs: nowMs() + KEPT_MS };
    // To the end, where the youngest are.
    latest.delete(key);
    latest.set(key, made);
    void made.empty.then((isEmpty) => {
      // A stored batch is found by its key.
      if (!isEmpty && latest.get(key) === made) latest.delete(key);
    });
    for (const [oldest, { untilMs }] of latest) {
      if (latest.size <= MOST_KEYS && untilMs > nowMs()) break;
      latest.delete(oldest);
    }
  }

  return {
    begin({ key, message: { id } }, reply) {
      const last = latest.get(key);
      // Ids of commands begin with the time at which a gateway took them.
      if (last !== undefined && id <= last.id) return last.empty;
      note(key, id, reply);
      return null;
    },
  };
}

/** Whether a caller takes this answer for the word that nothing is stored. A command that is only told as `unavailable` may still be done. */
export function storesNothing(reply: Reply): boolean {
  if ('encoded' in reply) return false;
  if (!reply.ok) return reply.error !== 'unavailable' && !reply.error.startsWith('internal');
  const { diff } = reply.body as { diff?: { batchId?: unknown } };
  return diff?.batchId === null;
}
