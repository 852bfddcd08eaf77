// Sends calls over a socket, a bounded number at once and in order, and again after a lost connection.
import type { Socket } from 'socket.io-client';
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { createPatience, type Patience, pause } from './patience.ts';
import { isPassing, retryWaitMs } from './retry.ts';

/** The service takes at most 256 calls of one connection at once. */
const MAXIMUM_UNDER_WAY = 200;
/** Calls that may wait for their turn. */
const MAXIMUM_WAITING = 10_000;

interface Call {
  readonly event: string;
  readonly payload: object;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}

export interface CallQueue {
  /** Gives the body of the ack, or rejects with a TaskgraphError. Tries again where the connection was lost or the service was unavailable, and waits where it asks for that. */
  call(call: Call): Promise<unknown>;
  /** Tells that the service has said `connected`, or that the connection is lost. */
  setReady(ready: boolean): void;
  /** Rejects all that waits, and whatever comes. */
  close(error: TaskgraphError): void;
}

export function createCallQueue(socket: Socket, patience: Patience = createPatience()): CallQueue {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let ready = false;
  let closed: TaskgraphError | null = null;

  const mayGo = () => closed !== null || (ready && underWay < MAXIMUM_UNDER_WAY);
  const wake = () => {
    while (waiting.length > 0 && mayGo()) waiting.shift()?.();
  };

  function turn({ deadline }: Call): Promise<void> {
    if (waiting.length >= MAXIMUM_WAITING) throw clientError('too_many_calls', 'Too many calls are waiting.');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const index = waiting.indexOf(go);
        if (index >= 0) waiting.splice(index, 1);
        reject(clientError('timeout', 'The call was never sent: there is no connection.'));
      }, deadline - Date.now());
      const go = () => {
        clearTimeout(timer);
        // Counted here and not by who waited: until that runs, `wake` would let too many go.
        underWay++;
        resolve();
      };
      waiting.push(go);
      wake();
    });
  }

  async function tryOnce(call: Call): Promise<unknown> {
    await turn(call);
    try {
      if (closed !== null) throw closed;
      return await emit(socket, call);
    } finally {
      underWay--;
      wake();
    }
  }

  return {
    async call(call) {
      const waitFor = patience(call.event);
      let { deadline } = call;
      let retries = 0;
      for (;;) {
        try {
          return await tryOnce({ ...call, deadline });
        } catch (error) {
          const limitedMs = closed === null ? waitFor(error) : null;
          // What the service asks to wait is not the call's own time.
          if (limitedMs !== null) deadline += limitedMs;
          const waitMs = limitedMs ?? retryWaitMs(++retries);
          const passing = limitedMs !== null || (error instanceof TaskgraphError && isPassing(error.code));
          if (!passing || closed !== null || Date.now() + waitMs >= deadline) throw error;
          await pause(waitMs);
        }
      }
    },
    setReady(now) {
      ready = now;
      wake();
    },
    close(error) {
      closed = error;
      wake();
    },
  };
}

function emit(socket: Socket, { event, payload, deadline }: Call): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.timeout(Math.max(1, deadline - Date.now())).emit(event, payload, (error: Error | null, body: unknown) => {
      if (error === null) {
        if ((body as { ok?: unknown } | null)?.ok === true) resolve(body);
        else reject(errorOf(body));
      } else if (Date.now() >= deadline) reject(clientError('timeout', 'The service did not answer in time.'));
      else reject(clientError('disconnected', 'The connection was lost before the answer came.'));
    });
  });
}
