// The interface of read handlers, and the reply that their results lead to.
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type Failure, failureOf } from '@taskgraph/graph-store/driver/failures';
import { retry } from '@taskgraph/graph-store/driver/retry';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type ReadMessage, type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReadAccess } from './access-reads.ts';
import type { LinkIdsCache } from './cache/link-ids.ts';
import { CachedPage, type PageCache, type PageForm } from './cache/page-cache.ts';
import type { PlanCache } from './cache/plans.ts';
import type { NodeIndexes } from './find/node-indexes.ts';
import type { PageBudget } from './page-budget.ts';
import type { RecentBatches } from './webhooks/recent-batches.ts';

export interface ReadEnvironment {
  readonly database: Database;
  /** Signs positions. */
  readonly secret: Secrets;
  readonly nowMs: () => number;
  /** The memory of pages. */
  readonly pages: PageBudget;
  /** Cached pages; without it every page is computed. */
  readonly pageCache?: PageCache;
  /** The form in which the requester of a page prefers it; plain if not given. */
  readonly form?: PageForm;
  /**
   * Link ids of shared branches, for the pages of a walk; without it each page walks over the whole
   * branch.
   */
  readonly linkIds?: LinkIdsCache;
  /** Plans, for the pages after the first; without it each page computes the whole plan. */
  readonly plans?: PlanCache;
  /**
   * The time up to which history is complete; `historyHorizon` if not given. For tests with a clock
   * of their own.
   */
  readonly horizon?: (environment: Pick<ReadEnvironment, 'database' | 'nowMs'>) => Promise<string>;
  /** The nodes of readers in memory, for searches; without it each search reads them. */
  readonly nodeIndexes?: NodeIndexes;
  /** Shared reads of a reader's access; without it each read of nodes has its own. */
  readonly readAccess?: ReadAccess;
  /** Called with each access that the read relies on. */
  readonly onAccess?: (access: ReaderAccess) => void;
  /** When the read was received, by performance.now(): it may have waited for its turn since. The present if not given. */
  readonly receivedAt?: number;
  /** The latest changes, for the contents of webhooks' messages; without it each message reads them. */
  readonly recentBatches?: RecentBatches;
  /** For the contents of webhooks' messages: the database with shared statements. */
  readonly groupedDatabase?: Database;
  /** Called for each read that a busy or unreachable database did not do. */
  readonly onBusy?: (error: unknown, message: ReadMessage) => void;
}

/** The body of an ack without `ok` and `trace_id`. */
export type Body = Record<string, unknown>;

/** Answers one kind of read. Rejects on bugs, and while the database is unreachable. */
export type ReadHandler = (message: ReadMessage, environment: ReadEnvironment) => Promise<Body | CachedPage | Refusal>;

/** The same; null if the read has to be repeated. */
export type ReadAttempt = (
  message: ReadMessage,
  environment: ReadEnvironment,
) => Promise<Body | CachedPage | Refusal | null>;

/** Thrown if no memory is free for a read. The answer is `unavailable`. */
export class BudgetExhausted extends Error {}

const BUSY: ReadonlySet<Failure> = new Set<Failure>([
  'passing' as const,
  'away' as const,
  'crowded' as const,
  'locked' as const,
  'duplicate' as const,
  'too_large' as const,
  'slow' as const,
]);

interface ReadRequest {
  readonly message: ReadMessage;
  readonly environment: ReadEnvironment;
  readonly attempts: number;
}

/** The reply to a read; `unavailable` if the database is busy or unreachable. Rejects on bugs. */
export function replyTo(work: () => Promise<Body | Refusal>, request: ReadRequest): Promise<ReplyMessage>;
export function replyTo(
  work: () => Promise<Body | CachedPage | Refusal>,
  request: ReadRequest,
): Promise<ReplyMessage | RawReply>;
export async function replyTo(
  work: () => Promise<Body | CachedPage | Refusal>,
  { message, environment, attempts }: ReadRequest,
): Promise<ReplyMessage | RawReply> {
  try {
    const body = await retry(work, {
      tries: attempts,
      passing: BUSY,
      until: message.deadline,
      nowMs: environment.nowMs,
    });
    if (body instanceof CachedPage) return body.reply;
    return isRefusal(body) ? refusalReply(body) : { ok: true, body };
  } catch (error) {
    if (error instanceof BudgetExhausted) return budgetExhausted;
    if (!BUSY.has(failureOf(error))) throw error;
    environment.onBusy?.(error, message);
    return refusalReply(refuse('unavailable', 'The database is down or too busy; try again.'));
  }
}

/** The answer if no memory is free for a page. */
export const budgetExhausted = refusalReply(refuse('unavailable', 'Too many pages are being read at once; try again.'));

/** The time of a read: ISO 8601 UTC with milliseconds, as stored times are. */
export function nowOf({ nowMs }: Pick<ReadEnvironment, 'nowMs'>): string {
  return new Date(nowMs()).toISOString();
}

/** A read handler that needs a user. */
export function asUser<T extends Body | CachedPage | Refusal | null>(
  read: (message: ReadMessage, actor: ActingUser, environment: ReadEnvironment) => Promise<T>,
): (message: ReadMessage, environment: ReadEnvironment) => Promise<T | Refusal> {
  return async (message, environment) => {
    if (message.actor === null) return refuse('unauthorized', 'This needs an API token.');
    return read(message, message.actor, environment);
  };
}
