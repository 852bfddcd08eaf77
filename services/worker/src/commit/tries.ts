// Remembers the tries of commands, so that the last answer that a caller got stays true. Rules: GEN3, GEN8.
//
// 1. A try may wait in another gateway while its caller retries under the same key and is refused. Executing the first try then would
//    make a change that the caller takes for refused. So the worker remembers answers that stored nothing.
// 2. A gateway repeats a try when its answer takes long. The repeat gets the answer of the first.
// 3. When a partition moves between two tries, its former worker executes none that it accepted before (lease.ts). The new worker does
//    execute a try that arrives only then, or that its gateway had not read (docs/reliability.md, "Not covered").
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { Job } from './job.ts';

/** Tries that are remembered, refused or in progress. */
const MOST_KEYS = 10_000;
/** Longer than a gateway keeps retrying. */
const KEPT_MS = 120_000;
/** UTF-16 units of answers that are kept for repeats. */
const MOST_KEPT = 8_000_000;

interface Try {
  readonly id: string;
  readonly untilMs: number;
  /** Whether its answer stored nothing. */
  readonly empty: Promise<boolean>;
  /** The answer, if it stored nothing and `MOST_KEPT` has room for it. */
  kept: { readonly reply: Reply; readonly length: number } | null;
}

export interface Tries {
  /**
   * Records a try that has no answer yet. Returns null if it may be executed; otherwise a promise of the answer that it gets instead, or of
   * null if it may be executed after all. A repeat gets the first answer; a later try under the same key replaces the earlier one.
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
    // Insert at the end: the map is ordered by age.
    forget(key);
    latest.set(key, made);
    void reply.then((answered) => {
      if (latest.get(key) !== made) return;
      // The database finds a stored batch by its key, and a dry run may be repeated.
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
      // Ids of commands begin with the time at which a gateway received them.
      if (last !== undefined && id < last.id) return last.empty.then((isEmpty) => (isEmpty ? OVERTAKEN : null));
      if (last?.id === id) return last.empty.then((isEmpty) => (isEmpty ? (last.kept?.reply ?? ANSWERED) : null));
      note(job, reply);
      return null;
    },
  };
}

/** The caller may retry under the same key. */
const OVERTAKEN = notDone('A later try of this command was answered.');
/** For a repeat whose first answer was not kept. */
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
