// Records the attempts of commands, so that the last answer to a caller stays true. Rules: GEN3,
// GEN8.
//
// 1. An attempt may wait in another gateway while its caller retries under the same key and is
//    refused. Executing the first attempt then would make a change that the caller takes for
//    refused. So the worker records answers that stored nothing.
// 2. A gateway repeats an attempt when its answer takes long. The repeat gets the answer of the
//    first.
// 3. When a partition moves between two attempts, its former worker executes none that it accepted
//    before (lease.ts). The new worker does execute an attempt that arrives only then, or that its
//    gateway had not read (docs/reliability.md, "Not covered").
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import type { Job } from './job.ts';

/** Most recorded attempts, refused or in progress. */
const MAXIMUM_KEYS = 10_000;
/** Longer than a gateway keeps retrying. */
const RETENTION_MS = 120_000;
/** UTF-16 units of answers that are stored for repeats. */
const MAXIMUM_LENGTH = 8_000_000;

interface Attempt {
  readonly id: string;
  readonly untilMs: number;
  /** Whether its answer stored nothing. */
  readonly empty: Promise<boolean>;
  /** The answer, if it stored nothing and `MAXIMUM_LENGTH` has room for it. */
  stored: { readonly reply: Reply; readonly length: number } | null;
}

export interface AttemptRegistry {
  /**
   * Records an attempt that has no answer yet. Returns null if it may be executed; otherwise a
   * promise of the answer that it gets instead, or of null if it may be executed after all. A
   * repeat gets the first answer; a later attempt under the same key replaces the earlier one.
   */
  begin(job: Pick<Job, 'key' | 'message' | 'dryRun'>, reply: Promise<Reply>): Promise<Reply | null> | null;
  /** Whether a later attempt under the same key has begun since, and may have been refused. */
  isOvertaken(job: Pick<Job, 'key' | 'message'>): boolean;
}

/** `nowMs` is any monotonic clock. */
export function createAttemptRegistry(
  nowMs: () => number = () => performance.now(),
  maximumLength = MAXIMUM_LENGTH,
): AttemptRegistry {
  const latest = new Map<string, Attempt>();
  let totalLength = 0;

  function forget(key: string): void {
    const known = latest.get(key);
    if (known === undefined) return;
    latest.delete(key);
    totalLength -= known.stored?.length ?? 0;
  }

  function note(
    { key, message: { id }, dryRun }: Parameters<AttemptRegistry['begin']>[0],
    reply: Promise<Reply>,
  ): void {
    const attempt: Attempt = { id, empty: reply.then(storesNothing), untilMs: nowMs() + RETENTION_MS, stored: null };
    // Insert at the end: the map is ordered by age.
    forget(key);
    latest.set(key, attempt);
    void reply.then((answered) => {
      if (latest.get(key) !== attempt) return;
      // The database finds a stored batch by its key, and a dry run may be repeated.
      if (!storesNothing(answered) || (dryRun && !isRefused(answered))) return forget(key);
      const { length } = JSON.stringify(answered);
      if (totalLength + length > maximumLength) return;
      attempt.stored = { reply: answered, length };
      totalLength += length;
    });
    for (const [oldest, { untilMs }] of latest) {
      if (latest.size <= MAXIMUM_KEYS && untilMs > nowMs()) break;
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
      if (last?.id === id) return last.empty.then((isEmpty) => (isEmpty ? (last.stored?.reply ?? ANSWERED) : null));
      note(job, reply);
      return null;
    },
    isOvertaken({ key, message }) {
      const last = latest.get(key);
      return last !== undefined && message.id < last.id;
    },
  };
}

/** The caller may retry under the same key. */
export const OVERTAKEN = notDone('A later attempt of this command was answered.');
/** For a repeat whose first answer was not stored. */
const ANSWERED = notDone('This command was answered before.');

function isRefused(reply: Reply): boolean {
  return !('encoded' in reply) && !reply.ok;
}

function notDone(message: string): Reply {
  return refusalReply(refuse('unavailable', message, { outcome: 'not_done' }));
}

/**
 * Whether this answer tells its caller that nothing is stored. After `unavailable` the command may
 * still be executed.
 */
export function storesNothing(reply: Reply): boolean {
  if ('encoded' in reply) return false;
  if (!reply.ok) return reply.error !== 'unavailable' && !reply.error.startsWith('internal');
  const { diff } = reply.body as { diff?: { batchId?: unknown } };
  return diff?.batchId === null;
}
