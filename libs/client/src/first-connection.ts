// The wait for a client's first connection, until it succeeds, is refused for good, or times out.
import { clientError, type TaskgraphError } from './error.ts';

export interface FirstConnection {
  /** Resolves on the first connection; rejects with a TaskgraphError. */
  readonly connected: Promise<void>;
  succeed(): void;
  fail(error: TaskgraphError): void;
  /** Sets the reason of the last failed attempt, for the message of a time-out. */
  setReason(reason: string): void;
  /** Extends the time-out by the milliseconds that the service asked to wait. */
  extend(ms: number): void;
}

export function createFirstConnection(timeoutMs: number): FirstConnection {
  let reason = 'no answer';
  let endsMs = Date.now() + timeoutMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let succeed = () => {};
  let fail = (_error: TaskgraphError) => {};
  const connected = new Promise<void>((resolve, reject) => {
    succeed = () => {
      clearTimeout(timer);
      resolve();
    };
    fail = (error) => {
      clearTimeout(timer);
      reject(error);
    };
  });
  const arm = () => {
    clearTimeout(timer);
    const remainingMs = endsMs - Date.now();
    timer = setTimeout(() => fail(clientError('client.timeout', `There is no connection: ${reason}`)), remainingMs);
  };
  arm();
  return {
    connected,
    succeed,
    fail,
    setReason(next) {
      reason = next;
    },
    extend(ms) {
      endsMs += ms;
      arm();
    },
  };
}
