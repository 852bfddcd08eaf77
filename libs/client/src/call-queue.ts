// Sends calls over a socket, a bounded number at once and in order, and again after a lost connection: those that were under way when it
// broke go first, in the order in which they were made. Where the service has too much to do, fewer go at once: a refusal comes sooner than
// an answer, and to send the next call for each would be to send as many as the line carries. Rule: WIRE1.
import type { Socket } from 'socket.io-client';
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { createPatience, type Patience, pause } from './patience.ts';
import { isPassing, mayBeDone, retryWaitMs, withoutCertainty } from './retry.ts';

/** The service takes at most 256 calls of one connection at once, and 8 whatever others do. */
const WINDOW = { least: 8, most: 200 };
/** Calls that may wait for their turn. */
const MAXIMUM_WAITING = 10_000;

interface Call {
  readonly event: string;
  readonly payload: object;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}

/** A call in the queue. */
interface Queued extends Call {
  /** Calls go by this number, also those that come back after a lost connection. */
  readonly order: number;
  /** Whether it was sent before, so that the service may have done it. */
  readonly sent: boolean;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly order: number;
  readonly go: () => void;
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
  /** By order. */
  const waiting: Waiting[] = [];
  let calls = 0;
  let underWay = 0;
  /** How many may be under way: halved where one of them is refused, and one more after so many answers. */
  let window = WINDOW.most;
  let sends = 0;
  /** The newest call that was sent when the window was halved: refusals of those before it say nothing new. */
  let halvedAt = 0;
  let ready = false;
  let closed: TaskgraphError | null = null;

  const mayGo = () => closed !== null || (ready && underWay < Math.floor(window));
  const wake = () => {
    while (waiting.length > 0 && mayGo()) waiting.shift()?.go();
  };

  /** A call that comes back is older than those that wait, and there are at most as many of those as are under way at once. */
  function enqueue(one: Waiting): void {
    const later = waiting.findIndex(({ order }) => order > one.order);
    if (later < 0) waiting.push(one);
    else waiting.splice(later, 0, one);
  }

  function turn({ deadline, order, sent }: Queued): Promise<void> {
    // A call that was sent before has had its place.
    if (!sent && waiting.length >= MAXIMUM_WAITING)
      throw clientError('client.too_many_calls', 'Too many calls are waiting.');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const index = waiting.indexOf(one);
        if (index >= 0) waiting.splice(index, 1);
        reject(sent ? unanswered() : neverDone(ready ? 'its turn did not come in time' : 'there is no connection'));
      }, deadline - Date.now());
      const go = () => {
        clearTimeout(timer);
        // Counted here and not by who waited: until that runs, `wake` would let too many go.
        underWay++;
        resolve();
      };
      const one = { order, go };
      enqueue(one);
      wake();
    });
  }

  /** Notes that a call found the service with too much to do. */
  function shrink(sentAs: number): void {
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
      const waitFor = patience(call.event);
      const order = ++calls;
      let { deadline } = call;
      let retries = 0;
      let sent = false;
      /** Whether the service has said of a try that its outcome is unknown. */
      let isUncertain = false;
      for (;;) {
        let waitMs = 0;
        await turn({ ...call, deadline, order, sent: sent || isUncertain });
        const sentAs = ++sends;
        try {
          return await send({ ...call, deadline });
        } catch (error) {
          const limitedMs = closed === null ? waitFor(error) : null;
          // The wait that the service asks for is not the call's own time.
          if (limitedMs !== null) deadline += limitedMs;
          const code = error instanceof TaskgraphError ? error.code : null;
          const [lost, busy] = [code === 'client.disconnected', code === 'unavailable'];
          sent ||= lost;
          isUncertain ||= mayBeDone(error);
          // The next connection is waited for as it is: another wait would let later calls go first.
          waitMs = limitedMs ?? (lost ? 0 : retryWaitMs(++retries));
          const passing = limitedMs !== null || (code !== null && isPassing(code));
          // That this try was not done says nothing of one before it that nobody answered.
          if (!passing || closed !== null || Date.now() + waitMs >= deadline) {
            if (busy && sent) throw unanswered();
            throw isUncertain ? withoutCertainty(error) : error;
          }
          if (busy) {
            shrink(sentAs);
            // It has its place meanwhile, as if it were under way.
            await pause(waitMs);
            waitMs = 0;
          }
        } finally {
          underWay--;
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

/** Of a call that was never sent, or refused as often as it was. */
function neverDone(why: string): TaskgraphError {
  return clientError('client.timeout', `The call was not done: ${why}.`);
}

function unanswered(): TaskgraphError {
  return clientError('client.timeout', 'The service did not answer in time.');
}
