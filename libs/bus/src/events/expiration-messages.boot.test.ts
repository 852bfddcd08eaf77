// Expirations over a real NATS: each message reaches one jobs service, and a failing handler stops
// nothing.
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { expect, it } from 'vitest';
import { EXPIRATIONS_SUBJECT } from '../nats/subjects.ts';
import { ownNats } from '../test/support/own-nats.ts';
import { publishExpirations, serveExpirations } from './expiration-messages.ts';

const nats = ownNats();

it('[ACL5] reaches one of two services, also with long lists, and continues after malformed messages and failing handlers', async () => {
  const taken: Expiration[][] = [[], []];
  const servings = taken.map((mine) =>
    serveExpirations(nats.bus, async (expirations) => {
      mine.push(...expirations);
      if (expirations.length === 1) throw new Error('the first one fails');
    }),
  );
  const due = (index: number): Expiration => ({
    nodeId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    due: '2030-01-01T00:00:00.000Z',
  });
  nats.bus.connection.publish(EXPIRATIONS_SUBJECT, 'not JSON');
  nats.bus.connection.publish(EXPIRATIONS_SUBJECT, JSON.stringify({ dues: [{ ...due(0), nodeId: 'x' }] }));
  publishExpirations(nats.bus, []);
  publishExpirations(nats.bus, [due(0)]);
  publishExpirations(
    nats.bus,
    Array.from({ length: 2_500 }, (_, index) => due(index + 1)),
  );
  await nats.bus.flush();
  await expect.poll(() => taken.flat().length, { timeout: 60_000 }).toBe(2_501);
  await Promise.all(servings.map((serving) => serving.stop()));
  expect(new Set(taken.flat().map(({ nodeId }) => nodeId)).size).toBe(2_501);
  expect(nats.errors).toEqual(Array.from({ length: 3 }, () => 'expirations could not be queued'));
});
