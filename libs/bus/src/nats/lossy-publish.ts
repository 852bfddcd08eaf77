// Publishes messages that may be lost: receivers detect the loss.
import type { PublishOptions } from '@nats-io/transport-node';
import type { Bus } from './connect.ts';

/**
 * Publishes messages and returns the number that NATS did not accept. It never throws, because its
 * callers must still answer the committed commands. Each lost message is logged and does not hold
 * back the next.
 */
export function publishLossy(
  bus: Bus,
  subject: string,
  pack: () => readonly Uint8Array[],
  options: PublishOptions = {},
): number {
  let messages: readonly Uint8Array[];
  try {
    messages = pack();
  } catch (error) {
    bus.log.error({ error, subject }, 'messages could not be created');
    return 1;
  }
  let lost = 0;
  for (const message of messages) {
    try {
      bus.publish(subject, message, options);
    } catch (error) {
      lost++;
      bus.log.error({ error, subject, bytes: message.length }, 'a message could not be sent');
    }
  }
  return lost;
}
