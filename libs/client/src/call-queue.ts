// Sends calls over a socket in order, a bounded number at once. Rule: WIRE1.
//
// 1. After a lost connection, the calls that were in flight go first, in their order.
// 2. A refusal for overload halves the window, since a refusal arrives sooner than an answer:
//    sending the next call for each would only send more.
import type { Socket } from 'socket.io-client';
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { createRateLimitWaits, pause, type RateLimitWaits } from './rate-limit-wait.ts';
import { isTransient, mayHaveRun, retryWaitMs, withUnknownOutcome } from './retry-policy.ts';

/** The service accepts at most 256 calls of one connection at once, and 8 at any load. */
const WINDOW = { least: 8, most: 200 };
/** Most calls that wait for their turn. */
const MAXIMUM_WAITING = 10_000;

interface Call {
  readonly event: string;
  readonly payload: object;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}

interface CallAttempt extends Call {
  /** The place of the call in the order of sending, also after a lost connection. */
  readonly order: number;
  /** Whether it was sent before, so that the service may have run it. */
  readonly sent: boolean;
}

/** A call that waits for its turn. */
interface WaitingCall {
  readonly order: number;
  readonly go: () => void;
}

export interface CallQueue {
  /**
   * Resolves with the body of the answer, or rejects with a TaskgraphError. Retries after a lost
   * connection and while the service is unavailable, and waits for rate limits.
   */
  call(call: Call): Promise<unknown>;
  /** Sets whether the service has sent `connected` on the current connection. */
  setReady(ready: boolean): void;
  /** Rejects all waiting and later calls. */
  close(error: TaskgraphError): void;
}

export function createCallQueue(socket: Socket, rateLimitWaits: RateLimitWaits = createRateLimitWaits()): CallQueue {
  /** In order. */
  const waiting: WaitingCall[] = [];
  let calls = 0;
  let inFlight = 0;
  /** Most calls in flight. A refusal halves it, and as many answers as it allows add one. */
  let window = WINDOW.most;
  let sends = 0;
  /**
   * The last call before the window was halved. Refusals of calls up to it do not halve it again.
   */
  let halvedAt = 0;
  let ready = false;
  let closed: TaskgraphError | null = null;

  const mayGo = () => closed !== null || (ready && inFlight < Math.floor(window));
  const wake = () => {
    while (waiting.length > 0 && mayGo()) waiting.shift()?.go();
  };

  /**
   * Most calls go last. A retried call goes before the later ones; there are at most as many as the
   * window allows.
   */
  function enqueue(one: WaitingCall): void {
    const later = waiting.findIndex(({ order }) => order > one.order);
    if (later < 0) waiting.push(one);
    else waiting.splice(later, 0, one);
  }

  function waitForTurn({ deadline, order, sent }: CallAttempt): Promise<void> {
    // A call that was sent before does not count.
    if (!sent && waiting.length >= MAXIMUM_WAITING)
      throw clientError('client.too_many_calls', 'Too many calls are waiting.');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const index = waiting.indexOf(one);
        if (index >= 0) waiting.splice(index, 1);
        reject(sent ? unanswered() : notDone(ready ? 'its turn did not come in time' : 'there is no connection'));
      }, deadline - Date.now());
      const go = () => {
        clearTimeout(timer);
        // Counted at once: the waiting caller runs later, and until then `wake` would let too many
        // go.
        inFlight++;
        resolve();
      };
      const one = { order, go };
      enqueue(one);
      wake();
    });
  }

  /** Halves the window after the refusal of a call that was sent since the last time. */
  function halveWindow(sentAs: number): void {
    if (sentAs <= halvedAt) return;
    halvedAt = sends;
    window = Math.max(WINDOW.least, window / 2);
  }

  async function send(call: Call): Promise<unknown> {
    if (closed !== null) throw closed;
    const body = await emit(socket, call);
    window = Math.min(WINDOW.most, window + 1 / window);
    return body;
  }

  return {
    async call(call) {
      const waitFor = rateLimitWaits(call.event);
      const order = ++calls;
      let { deadline } = call;
      let retries = 0;
      let sent = false;
      /** Whether the service has answered an attempt with an unknown outcome. */
      let isUncertain = false;
      for (;;) {
        let waitMs = 0;
        await waitForTurn({ ...call, deadline, order, sent: sent || isUncertain });
        const sentAs = ++sends;
        try {
          return await send({ ...call, deadline });
        } catch (error) {
          const limitedMs = closed === null ? waitFor(error) : null;
          // Waits for rate limits do not count against the time-out.
          if (limitedMs !== null) deadline += limitedMs;
          const code = error instanceof TaskgraphError ? error.code : null;
          const [lost, busy] = [code === 'client.disconnected', code === 'unavailable'];
          sent ||= lost;
          isUncertain ||= mayHaveRun(error);
          // A lost call waits only for the connection, or later calls would go first.
          waitMs = limitedMs ?? (lost ? 0 : retryWaitMs(++retries));
          const isRetryable = limitedMs !== null || (code !== null && isTransient(code));
          // `not_done` concerns this attempt alone. An earlier one without an answer may have run.
          if (!isRetryable || closed !== null || Date.now() + waitMs >= deadline) {
            if (busy && sent) throw unanswered();
            throw isUncertain ? withUnknownOutcome(error) : error;
          }
          if (busy) {
            halveWindow(sentAs);
            // It counts as in flight meanwhile.
            await pause(waitMs);
            waitMs = 0;
          }
        } finally {
          inFlight--;
          wake();
        }
        if (waitMs > 0) await pause(waitMs);
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
      } else if (Date.now() >= deadline) reject(unanswered());
      else reject(clientError('client.disconnected', 'The connection was lost before the answer came.'));
    });
  });
}

/** The error of a call that was never sent, or refused each time. */
function notDone(why: string): TaskgraphError {
  return clientError('client.timeout', `The call was not done: ${why}.`);
}

function unanswered(): TaskgraphError {
  return clientError('client.timeout', 'The service did not answer in time.');
}
