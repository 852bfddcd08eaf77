// Notifies the jobs services when grants and publications end. Rule: ACL5.

import { EXPIRATIONS_AT_ONCE, type Expiration, expirationsMessage } from '@taskgraph/wire/bus/expirations';
import { chunksOf } from '@taskgraph/wire/chunks';
import type { Bus } from '../nats/connect.ts';
import { publishLossy } from '../nats/lossy-publish.ts';
import { EXPIRATIONS_QUEUE, EXPIRATIONS_SUBJECT } from '../nats/subjects.ts';
import type { RunningSubscription } from '../requests/serve.ts';

/**
 * Messages that a jobs service handles at once. It drops further ones; the sweep finds their
 * expirations.
 */
const MAXIMUM_IN_FLIGHT = 1_000;

/**
 * Publishes to one jobs service, if any runs. During an outage it sends nothing, and the sweep
 * finds the expirations. Never throws; returns the number of lost messages.
 */
export function publishExpirations(bus: Bus, expirations: readonly Expiration[]): number {
  if (expirations.length === 0) return 0;
  if (bus.connected()) return publishLossy(bus, EXPIRATIONS_SUBJECT, () => packExpirations(expirations));
  bus.log.debug({ expirations: expirations.length }, 'expirations were dropped during an outage');
  return 0;
}

function packExpirations(expirations: readonly Expiration[]): Uint8Array[] {
  return chunksOf(expirations, EXPIRATIONS_AT_ONCE).map((some) => Buffer.from(JSON.stringify({ dues: some })));
}

/**
 * Subscribes to expirations; one jobs service receives each message. Handler errors are logged, and
 * the sweep finds the expirations.
 */
export function serveExpirations(bus: Bus, handler: (expirations: Expiration[]) => Promise<void>): RunningSubscription {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(EXPIRATIONS_SUBJECT, {
    queue: EXPIRATIONS_QUEUE,
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to expirations failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return bus.log.warn({}, 'expirations were dropped: too many in flight');
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
    await handler(expirationsMessage.parse(read()).dues);
  } catch (error) {
    bus.log.error({ error }, 'expirations could not be queued');
  }
}
