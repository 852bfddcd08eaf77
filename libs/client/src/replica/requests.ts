// The calls of a replica over its session.
import { type Calls, type EventName, type GraphPage, isRead } from '../calls.ts';
import type { Connected, Session } from '../session.ts';
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

/** A page for the user with this id; null if the socket has to fetch it. */
export type RestPages = (after: string | null, userId: string) => Promise<GraphPage | null>;

/**
 * The reads of a resync. A reader without an account reads only their branch. `userId` is null
 * without an account. If REST gives no page, the socket fetches this page and all further ones until it
 * connects again: it also reports refusals, and waits for a connection.
 */
export function resyncReads(
  session: Session,
  userId: () => string | null | undefined,
  restPages?: RestPages,
): ResyncReads {
  /** The connection since which REST gives no pages. */
  let withoutRest: Connected | null = null;
  return {
    changes: (payload) => callNow(session, 'changes:get', payload),
    async page(after) {
      const user = userId();
      const connection = session.connected();
      if (restPages && user && withoutRest !== connection) {
        const page = await restPages(after, user).catch(() => null);
        if (page !== null) return page;
        withoutRest = connection;
      }
      const payload = { limit: PAGE_LIMIT, ...(after === null ? {} : { after }) };
      return callNow(session, userId() !== null ? 'graph:get' : 'branch:get', payload) as Promise<GraphPage>;
    },
  };
}
