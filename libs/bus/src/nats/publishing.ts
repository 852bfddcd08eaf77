// Publishing what nobody waits for: it may get lost, and its receivers notice that by themselves.
import type { PublishOptions } from '@nats-io/transport-node';
import type { Bus } from './connect.ts';

/**
 * Publishes messages, and gives the number of those that could not be handed to NATS. It never throws: whoever tells what was committed
 * still has to answer those who asked for it. A lost message is logged, and a message that fails does not keep back those after it.
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
    bus.log.error({ error, subject }, 'messages could not be made');
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
