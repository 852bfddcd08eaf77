// The tries of commands, so that what a caller was told last holds. A try may wait in another gateway while its caller tries again under the same key
// and is refused; done after that, it would be a change that the caller takes for refused. So a worker remembers what it answered without storing
// anything. A gateway also sends the same try again when an answer takes long: such a repeat gets the answer of the first. Where a partition changes
// hands between the two tries, the worker that had it does none that it took before (lease.ts); one that comes to the new worker only then is done, as
// is one that its gateway has not even read (docs/reliability.md, "Not covered"). Rules: GEN3, GEN8.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { Job } from './job.ts';

/** Refused tries that are remembered, and those that are at work. */
const MOST_KEYS = 10_000;
/** Longer than a gateway goes on trying. */
const KEPT_MS = 120_000;
/** UTF-16 units of answers that are kept for repeats. */
const MOST_KEPT = 8_000_000;

interface Try {
  readonly id: string;
  readonly untilMs: number;
  /** Whether it was answered without anything being stored. */
  readonly empty: Promise<boolean>;
  /** The answer, where it stored nothing and there is room for it; its length counts for `MOST_KEPT`. */
  kept: { readonly reply: Reply; readonly length: number } | null;
}

export interface Tries {
  /**
   * Notes a try that was not answered yet. Gives null where it may be done, else a promise of the answer that it gets without being done, which is
   * null where it may be done all the same. The same try is answered as before; another one under the same key that is later counts in its place.
   */
  begin(job: Pick<Job, 'key' | 'message' | 'dryRun'>, reply: Promise<Reply>): Promise<Reply | null> | null;
}

/** Remembers tries. `nowMs` is any clock that never goes back. */
export function createTries(nowMs: () => number = () => performance.now(), mostKept = MOST_KEPT): Tries {
  const latest = new Map<string, Try>();
  let keptLength = 0;

  function forget(key: string): void {
    const known = latest.get(key);
    if (known === undefined) return;
    latest.delete(key);
    keptLength -= known.kept?.length ?? 0;
  }

  function note({ key, message: { id }, dryRun }: Parameters<Tries['begin']>[0], reply: Promise<Reply>): void {
    const made: Try = { id, empty: reply.then(storesNothing), untilMs: nowMs() + KEPT_MS, kept: null };
    // To the end, where the youngest are.
    forget(key);
    latest.set(key, made);
    void reply.then((answered) => {
      if (latest.get(key) !== made) return;
      // A stored batch is found by its key, and a dry run can be done twice.
      if (!storesNothing(answered) || (dryRun && !isRefused(answered))) return forget(key);
      const { length } = JSON.stringify(answered);
      if (keptLength + length > mostKept) return;
      made.kept = { reply: answered, length };
      keptLength += length;
    });
    for (const [oldest, { untilMs }] of latest) {
      if (latest.size <= MOST_KEYS && untilMs > nowMs()) break;
      forget(oldest);
    }
  }

  return {
    begin(job, reply) {
      const { key, message } = job;
      const { id } = message;
      const last = latest.get(key);
      // Ids of commands begin with the time at which a gateway took them.
      if (last !== undefined && id < last.id) return last.empty.then((isEmpty) => (isEmpty ? OVERTAKEN : null));
      if (last?.id === id) return last.empty.then((isEmpty) => (isEmpty ? (last.kept?.reply ?? ANSWERED) : null));
      note(job, reply);
      return null;
    },
  };
}

/** A caller who asks again under the key is judged again. */
const OVERTAKEN = notDone('A later try of this command was answered.');
/** Its first answer reached the gateway, or nobody. */
const ANSWERED = notDone('This command was answered before.');

function isRefused(reply: Reply): boolean {
  return !('encoded' in reply) && !reply.ok;
}

function notDone(message: string): Reply {
  return refusalReply(refuse('unavailable', message, { outcome: 'not_done' }));
}

/** Whether a caller takes this answer for the word that nothing is stored. A command that is only told as `unavailable` may still be done. */
export function storesNothing(reply: Reply): boolean {
  if ('encoded' in reply) return false;
  if (!reply.ok) return reply.error !== 'unavailable' && !reply.error.startsWith('internal');
  const { diff } = reply.body as { diff?: { batchId?: unknown } };
  return diff?.batchId === null;
}
