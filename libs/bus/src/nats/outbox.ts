// Gathers what one turn of the event loop has to say, or one millisecond while much goes on, so that it goes to NATS in one write: a write of
// its own for each message costs its sender, and the server, more than the message does.
import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';

/** Past these what is gathered goes out at once; the client keeps it in its own buffer from then on. */
const MOST_BYTES = 64 * 1024;
const MOST_MESSAGES = 1_000;
/** A message that comes so soon after a write waits as long for others. Where little goes on, none waits longer than the turn. */
const PACE_MS = 1;
/** A message's headers and subjects are shorter. */
const HEAD_BYTES = 4 * 1024;

interface OutboxLog {
  error(fields: object, message: string): void;
}

interface Waiting {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly options: PublishOptions;
}

/** Messages on their way to NATS, in the order in which they were published. */
export interface Outbox {
  /** Throws where the connection is closed, or takes no message that long. A message is lost where an outage has begun before it is handed over. */
  publish(subject: string, data: Uint8Array, options?: PublishOptions): void;
  /** Hands over to the client what was published so far. */
  flush(): void;
}

type Connection = Pick<NatsConnection, 'publish' | 'isClosed' | 'info'>;

export function createOutbox(
  connection: Connection,
  { isConnected, log }: { isConnected: () => boolean; log: OutboxLog },
): Outbox {
  let waiting: Waiting[] = [];
  let bytes = 0;
  let wroteAt = Number.NEGATIVE_INFINITY;

  function schedule(): void {
    if (performance.now() - wroteAt >= PACE_MS) setImmediate(flush);
    else setTimeout(flush, PACE_MS);
  }

  function flush(): void {
    if (waiting.length === 0) return;
    wroteAt = performance.now();
    const going = waiting;
    waiting = [];
    bytes = 0;
    // Nothing is handed over during an outage: the client would keep it in memory, without a bound.
    if (!isConnected()) return;
    for (const { subject, data, options } of going) {
      try {
        connection.publish(subject, data, options);
      } catch (error) {
        log.error({ error, subject, bytes: data.length }, 'a message could not be sent');
      }
    }
  }

  return {
    publish(subject, data, options = {}) {
      if (connection.isClosed()) throw new Error('the connection to NATS is closed');
      const most = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
      if (data.length > most - HEAD_BYTES) throw new RangeError(`NATS takes no message of ${data.length} bytes`);
      waiting.push({ subject, data, options });
      bytes += data.length;
      if (bytes >= MOST_BYTES || waiting.length >= MOST_MESSAGES) flush();
      else if (waiting.length === 1) schedule();
    },
    flush,
  };
}
