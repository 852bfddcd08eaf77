// Slices over a real NATS: each message reaches one gateway, and a failing handler stops nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { publishLossy } from '../nats/lossy-publish.ts';
import { SLICES_SUBJECT } from '../nats/subjects.ts';
import { ownNats } from '../test/support/own-nats.ts';
import type { RawSlice } from './raw-slice.ts';
import { publishSlices, serveSlices } from './slices.ts';

const nats = ownNats();

it('reaches one of two gateways, and continues after malformed messages and failing handlers', async () => {
  const taken: RawSlice[][] = [[], []];
  const servings = taken.map((mine) =>
    serveSlices(nats.bus, (slices) => {
      mine.push(...slices);
      if (slices[0]?.seq === 0) throw new Error('the first one fails');
    }),
  );
  nats.bus.connection.publish(SLICES_SUBJECT, 'not JSON');
  for (let seq = 0; seq < 100; seq++) publishSlices(nats.bus, [{ feed: 'user:1', epoch: 1, seq, diff: {} }]);
  await nats.bus.flush();
  await sleep(50);
  await Promise.all(servings.map((serving) => serving.stop()));
  const numbers = taken.flat().map((slice) => slice.seq);
  expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 100 }, (_, seq) => seq));
  expect(taken.every((mine) => mine.length > 0)).toBe(true);
  expect(nats.errors).toEqual(['slices could not be passed on', 'slices could not be passed on']);
});

it('does not throw at the publisher, and loses no other message when NATS rejects one', async () => {
  const taken: string[] = [];
  nats.bus.connection.subscribe('tg.test', { callback: (_, message) => void taken.push(message.string()) });
  const pack = () => ['first', 'x'.repeat(2 * 1024 * 1024), 'last'].map((text) => Buffer.from(text));
  expect(publishLossy(nats.bus, 'tg.test', pack)).toBe(1);
  const failing = () => {
    throw new RangeError('Invalid string length');
  };
  expect(publishLossy(nats.bus, 'tg.test', failing)).toBe(1);
  await nats.bus.flush();
  expect(taken).toEqual(['first', 'last']);
  expect(nats.errors).toEqual(['a message could not be sent', 'messages could not be created']);
});
