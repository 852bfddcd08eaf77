// The calls of a replica over its session.
import { type Calls, type EventName, type GraphPage, isRead } from '../calls.ts';
import type { Session } from '../session.ts';
import type { ReadRestPage } from './rest/rest-pages.ts';
import type { ResyncReads } from './resync-steps.ts';

/** Entities of a page over the socket. The service may end a page earlier. */
const PAGE_LIMIT = 5_000;
const TIMEOUT_MS = 30_000;

/** Makes a call. Rejects with a TaskgraphError. */
function callNow<E extends EventName>(session: Session, event: E, payload: object): Promise<Calls[E]['answer']> {
  return session.queue.call({ event, payload, deadline: Date.now() + TIMEOUT_MS }) as Promise<Calls[E]['answer']>;
}

/** The same for a caller's own call: a mutation gets an idempotency key. */
export function callWithKey<E extends EventName>(
  session: Session,
  event: E,
  payload: object,
  idempotencyKey: string,
): Promise<Calls[E]['answer']> {
  return callNow(session, event, isRead(event) ? payload : { ...payload, idempotencyKey });
}

/**
 * The reads of a resync. A reader without an account reads only their branch. `userId` is null
 * without an account.
 */
export function resyncReads(
  session: Session,
  userId: () => string | null | undefined,
  restPage?: Promise<ReadRestPage | null>,
): ResyncReads {
  return {
    changes: (payload) => callNow(session, 'changes:get', payload),
    async page(after) {
      const user = userId();
      const readRestPage = await restPage;
      const page = user && readRestPage ? await readRestPage(after, user) : null;
      if (page !== null) return page;
      const payload = { limit: PAGE_LIMIT, ...(after === null ? {} : { after }) };
      return callNow(session, user === null ? 'branch:get' : 'graph:get', payload) as Promise<GraphPage>;
    },
  };
}
