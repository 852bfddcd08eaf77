// The parts of every read: its message, what it may use of its surroundings, and what it answers.

import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type Failure, failureOf } from '@taskgraph/graph-store/driver/failures';
import { retry } from '@taskgraph/graph-store/driver/retry';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { isRefusal, type Refusal, refusalReply, refuse } from '@taskgraph/wire/errors';
import type { ActingUser, ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import type { LinkIdsCache } from './kept/link-ids.ts';
import { MadePage, type PageCache } from './kept/page-cache.ts';
import type { PlanCache } from './kept/plans.ts';
import type { PageBudget } from './page-memory.ts';

export interface ReadEnvironment {
  readonly database: Database;
  /** Signs positions. */
  readonly secret: Secrets;
  readonly nowMs: () => number;
  /** The memory of pages. */
  readonly pages: PageBudget;
  /** Pages that were made before; where there is none, each is made anew. */
  readonly kept?: PageCache;
  /** The links of what is shared, for the pages of a walk; where there are none, each page walks over all of it. */
  readonly linkIds?: LinkIdsCache;
  /** Plans, for the pages after the first; where there are none, each page plans all of it. */
  readonly plans?: PlanCache;
  /** Told of what a database that is away or too busy did not do. */
  readonly onBusy?: (error: unknown, message: ReadMessage) => void;
}

/** The body of an ack without `ok` and `trace_id`. */
export type Body = Record<string, unknown>;

/** Answers one kind of read. Rejects on bugs and on a database that is away. */
export type Reading = (message: ReadMessage, environment: ReadEnvironment) => Promise<Body | MadePage | Refusal>;

/** The same; null where it has to be begun anew. */
export type Trying = (message: ReadMessage, environment: ReadEnvironment) => Promise<Body | MadePage | Refusal | null>;

/** A read that can't be had now, for want of memory: it is answered with `unavailable`. */
export class NoRoom extends Error {}

const BUSY: ReadonlySet<Failure> = new Set<Failure>([
  ...(['passing', 'away', 'crowded', 'locked', 'duplicate', 'too_large', 'slow'] as const),
]);

interface Asked {
  readonly message: ReadMessage;
  readonly environment: ReadEnvironment;
  readonly tries: number;
}

/** The reply that some work leads to; `unavailable` where the database is away or too busy for it. Rejects on bugs. */
export function replyTo(work: () => Promise<Body | Refusal>, asked: Asked): Promise<ReplyMessage>;
export function replyTo(work: () => Promise<Body | MadePage | Refusal>, asked: Asked): Promise<ReplyMessage | RawReply>;
export async function replyTo(
  work: () => Promise<Body | MadePage | Refusal>,
  { message, environment, tries }: Asked,
): Promise<ReplyMessage | RawReply> {
  try {
    const body = await retry(work, { tries, passing: BUSY, until: message.deadline, nowMs: environment.nowMs });
    if (body instanceof MadePage) return body.reply;
    return isRefusal(body) ? refusalReply(body) : { ok: true, body };
  } catch (error) {
    if (error instanceof NoRoom) return noRoom;
    if (!BUSY.has(failureOf(error))) throw error;
    environment.onBusy?.(error, message);
    return refusalReply(refuse('unavailable', 'The database is away or too busy for this; try again.'));
  }
}

/** The answer where the worker has no memory left for a page. */
export const noRoom = refusalReply(refuse('unavailable', 'Too much is being read at once; try again.'));

/** The moment of a read as it is compared with stored times: ISO 8601 UTC with milliseconds. */
export function nowOf({ nowMs }: Pick<ReadEnvironment, 'nowMs'>): string {
  return new Date(nowMs()).toISOString();
}

/** A reading that needs a user. */
export function asUser<T extends Body | MadePage | Refusal | null>(
  read: (message: ReadMessage, actor: ActingUser, environment: ReadEnvironment) => Promise<T>,
): (message: ReadMessage, environment: ReadEnvironment) => Promise<T | Refusal> {
  return async (message, environment) => {
    if (message.actor === null) return refuse('unauthorized', 'This needs an API token.');
    return read(message, message.actor, environment);
  };
}
