// Tells the jobs services when grants and publications end. Rule: ACL5.

import { chunksOf } from '@taskgraph/wire/chunks';
import { DUES_AT_ONCE, type Expiration, expirationsMessage } from '@taskgraph/wire/messages';
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
export function publishExpirations(bus: Bus, expirations: readonly Expiration[]): number {
  if (expirations.length === 0) return 0;
  if (bus.connected()) return publishLossy(bus, DUES_SUBJECT, () => packDues(expirations));
  bus.log.debug({ expirations: expirations.length }, 'dues are dropped in an outage');
  return 0;
}

function packDues(expirations: readonly Expiration[]): Uint8Array[] {
  return chunksOf(expirations, DUES_AT_ONCE).map((some) => Buffer.from(JSON.stringify({ expirations: some })));
}

/** Takes dues, each message by one jobs service of all. A handler that fails is logged; the sweep finds what it was told of. */
export function serveExpirations(bus: Bus, handler: (expirations: Expiration[]) => Promise<void>): Serving {
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

async function handle(
  bus: Bus,
  read: () => unknown,
  handler: (expirations: Expiration[]) => Promise<void>,
): Promise<void> {
  try {
    await handler(expirationsMessage.parse(read()).expirations);
  } catch (error) {
    bus.log.error({ error }, 'dues could not be taken');
  }
}
