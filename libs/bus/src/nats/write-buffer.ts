// Collects the messages of one turn of the event loop, or of one millisecond under load, into one
// write to NATS. A write for each message would cost the sender and the server more than the
// message itself.
import type { NatsConnection, PublishOptions } from '@nats-io/transport-node';

/**
 * At either limit the buffer hands its messages to the NATS client, which has a buffer of its own.
 */
const MOST_BYTES = 64 * 1024;
const MOST_MESSAGES = 1_000;
/**
 * A message within this time after a write waits this long for others. At low load a message waits
 * only for the end of the turn.
 */
const PACE_MS = 1;
/** Upper bound of a message's headers and subjects. */
const HEAD_BYTES = 4 * 1024;

interface WriteBufferLog {
  error(fields: object, message: string): void;
}

interface BufferedMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly options: PublishOptions;
}

/** Messages waiting for the next write to NATS, in the order of publication. */
export interface WriteBuffer {
  /**
   * Throws if the connection is closed or the message is too long. A message is lost if an outage
   * begins before the next write.
   */
  publish(subject: string, data: Uint8Array, options?: PublishOptions): void;
  /** Hands all waiting messages to the NATS client. */
  flush(): void;
}

type Connection = Pick<NatsConnection, 'publish' | 'isClosed' | 'info'>;

export function createWriteBuffer(
  connection: Connection,
  { isConnected, log }: { isConnected: () => boolean; log: WriteBufferLog },
): WriteBuffer {
  let waiting: BufferedMessage[] = [];
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
    // Drop the messages during an outage: the client would buffer them without a limit.
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
