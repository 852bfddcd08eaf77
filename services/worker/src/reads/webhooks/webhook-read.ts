// The frame of the reads for webhooks: the payload, the access of the user, and its last check. Rules: HOOK2, HOOK7.
//
// 1. The access is read first and checked last. If it changed meanwhile, the read is repeated.
// 2. `checkedMs` is the time from the receipt of the read to the start of its last check. The age of a body
//    counts from this check, so the wait for the read does not make it older.
// 3. `accessEnd` is the earliest end of a grant of the user: the body has to be sent before.
import type { FeedGap } from '@taskgraph/graph-store/reads/changes';
import { readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { checkMessage } from '@taskgraph/graph-store/webhooks/message-reads';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { refuse } from '@taskgraph/wire/errors';
import type { z } from 'zod';
import { createLongReadPermit } from '../long-read-permit.ts';
import { asUser, nowOf, type ReadEnvironment, type ReadHandler } from '../read-handler.ts';
import { hasEnded, retryWhileAccessChanges } from '../stable-access.ts';
import type { FilterSource } from './event-filter.ts';
import { createRecentBatches } from './recent-batches.ts';

/** What a read for a webhook has found. */
interface WebhookReadResult<B> {
  readonly body: B;
  /** The gaps of feeds whose entries the body needs. */
  readonly missed?: readonly FeedGap[];
  /** The body if history has lost some of these entries meanwhile. */
  readonly resetBody?: B;
}

interface WebhookReadOptions<P extends { readonly hook: string }, B> {
  readonly payload: z.ZodType<P>;
  /** The message of the refusal of another payload. */
  readonly needs: string;
  readonly find: (request: P, source: FilterSource, environment: ReadEnvironment) => Promise<WebhookReadResult<B>>;
}

/** The handler of a read for a webhook, as its user. */
export function createWebhookRead<P extends { readonly hook: string }, B extends object>({
  payload,
  needs,
  find,
}: WebhookReadOptions<P, B>): ReadHandler {
  return async (message, environment) => {
    const { database, pages, recentBatches: recent = createRecentBatches() } = environment;
    const { receivedAt: startedAt = performance.now() } = environment;
    /** Null if the user's access changed meanwhile. */
    const attempt = asUser(async ({ payload: given }, actor) => {
      const parsed = payload.safeParse(given);
      if (!parsed.success) return refuse('bad_request', needs);
      const request = parsed.data;
      const readerAccess = await readReaderAccess(database, actor, nowOf(environment));
      const permit = createLongReadPermit(pages);
      try {
        const { pageBytes } = pages;
        const source = { database, actor, readerAccess, pageBytes, recent, acquireLongRead: permit.acquire };
        const { body, missed = [], resetBody = body } = await find(request, source, environment);
        const checkedMs = Math.floor(performance.now() - startedAt);
        const check = { id: request.hook, email: actor.email, missed };
        const { rights, isComplete } = await checkMessage(database, check);
        if (rights !== readerAccess.rights || hasEnded(readerAccess, environment)) return null;
        const accessEnd = definedFields({ accessEnd: readerAccess.end.time });
        return { ...(isComplete ? body : resetBody), checkedMs, ...accessEnd };
      } finally {
        permit.release();
      }
    });
    return retryWhileAccessChanges(attempt)(message, environment);
  };
}
