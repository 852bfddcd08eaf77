// Tells the jobs services when grants and publications end. Rule: ACL5.

import { DUES_AT_ONCE, type Due, duesMessage } from '@taskgraph/wire/messages';
import type { Bus } from '../nats/connect.ts';
import { publishLossy } from '../nats/publishing.ts';
import { DUES_QUEUE, DUES_SUBJECT } from '../nats/subjects.ts';
import type { Serving } from '../requests/serve.ts';

/** Messages that a jobs service works on at once; past it they are dropped, and the sweep finds what they told of. */
const MAXIMUM_IN_FLIGHT = 1_000;

/**
 * Publishes to one of the jobs services, if any runs. Nothing is sent during an outage: the sweep finds it. It never throws, and gives the
 * number of messages lost.
 */
export function publishDues(bus: Bus, dues: readonly Due[]): number {
  if (dues.length === 0) return 0;
  if (bus.connected()) return publishLossy(bus, DUES_SUBJECT, () => packDues(dues));
  bus.log.debug({ dues: dues.length }, 'dues are dropped in an outage');
  return 0;
}

function packDues(dues: readonly Due[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  for (let from = 0; from < dues.length; from += DUES_AT_ONCE) {
    messages.push(Buffer.from(JSON.stringify({ dues: dues.slice(from, from + DUES_AT_ONCE) })));
  }
  return messages;
}

/** Takes dues, each message by one jobs service of all. A handler that fails is logged; the sweep finds what it was told of. */
export function serveDues(bus: Bus, handler: (dues: Due[]) => Promise<void>): Serving {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(DUES_SUBJECT, {
    queue: DUES_QUEUE,
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to dues failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return bus.log.warn({}, 'dues are dropped: too many are under way');
      const work = handle(bus, () => message.json(), handler).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

async function handle(bus: Bus, read: () => unknown, handler: (dues: Due[]) => Promise<void>): Promise<void> {
  try {
    await handler(duesMessage.parse(read()).dues);
  } catch (error) {
    bus.log.error({ error }, 'dues could not be taken');
  }
}
