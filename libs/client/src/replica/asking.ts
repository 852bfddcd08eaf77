// How a replica asks the service.
import { type Calls, type EventName, type GraphPage, isRead } from '../calls.ts';
import type { Session } from '../session.ts';
import type { Reads } from './healer.ts';

/** Entities of a page; the service may end it earlier. */
const PAGE_LIMIT = 5_000;
const READ_TIMEOUT_MS = 30_000;
const COMMAND_TIMEOUT_MS = 30_000;

/** Makes a call over a session; rejects with a TaskgraphError. */
export function callNow<E extends EventName>(session: Session, event: E, payload: object): Promise<Calls[E]['answer']> {
  const timeoutMs = isRead(event) ? READ_TIMEOUT_MS : COMMAND_TIMEOUT_MS;
  return session.queue.call({ event, payload, deadline: Date.now() + timeoutMs }) as Promise<Calls[E]['answer']>;
}

/** The reads by which a replica heals itself; a reader without an account has their branch alone. */
export function readsOf(session: Session, hasAccount: () => boolean): Reads {
  return {
    changes: (payload) => callNow(session, 'changes:get', payload),
    page(after) {
      const payload = { limit: PAGE_LIMIT, ...(after === null ? {} : { after }) };
      return callNow(session, hasAccount() ? 'graph:get' : 'branch:get', payload) as Promise<GraphPage>;
    },
  };
}
