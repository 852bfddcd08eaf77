// The wait for a client's first connection: until it stands, is refused for good, or takes too long.
import { clientError, type TaskgraphError } from './error.ts';

export interface FirstConnection {
  /** Resolves when the connection stands; rejects with a TaskgraphError. */
  readonly made: Promise<void>;
  succeed(): void;
  fail(error: TaskgraphError): void;
  /** Notes why an attempt failed, for the message of a time-out. */
  note(reason: string): void;
  /** Gives it more time: what the service asked to wait. */
  extend(ms: number): void;
}

export function expectConnection(timeoutMs: number): FirstConnection {
  let last = 'nobody answers';
  let endsMs = Date.now() + timeoutMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let settle: { resolve: () => void; reject: (error: TaskgraphError) => void } | null = null;
  const made = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const finish = (how: (settled: NonNullable<typeof settle>) => void) => {
    clearTimeout(timer);
    if (settle !== null) how(settle);
  };
  const fail = (error: TaskgraphError) => finish(({ reject }) => reject(error));
  const arm = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => fail(clientError('client.timeout', `There is no connection: ${last}`)),
      endsMs - Date.now(),
    );
  };
  arm();
  return {
    made,
    succeed: () => finish(({ resolve }) => resolve()),
    fail,
    note(reason) {
      last = reason;
    },
    extend(ms) {
      endsMs += ms;
      arm();
    },
  };
}
