import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import { expect, test } from 'vitest';
import {
  type BatchEvents,
  bytesOfBatch,
  contentBytes,
  MOST_RANGES,
  messageContent,
  thinBytesOfBatch,
} from './webhook-body.ts';

const id = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const ts = '2026-01-01T00:00:00.000Z';
const batch = (count: number, title = 'a'): BatchEvents => ({
  batchId: id(0),
  actor: { username: 'ann', email: 'ann@example.com' },
  ts,
  events: Array.from({ length: count }, (_, index) => ({
    type: 'node.changed',
    id: id(index + 1),
    before: { title },
    after: { title: `${title}!` },
  })),
});
const feeds = Object.fromEntries(
  Array.from({ length: MOST_RANGES }, (_, index) => [`root:${id(index)}`, [1, 1_000_000]]),
);
const bodyOf = (content: ReturnType<typeof messageContent>) => ({
  type: 'graph.changed',
  timestamp: ts,
  data: { hook: id(9), feeds, ...content },
});

test('[HOOK4 HOOK5] a message has its events in order, each with its batch', () => {
  const content = messageContent([batch(1), { ...batch(1), batchId: id(7) }], contentBytes(1));
  expect(content.batches.map(({ batchId }) => batchId)).toEqual([id(0), id(7)]);
  expect(content.events.map(({ batchId }) => batchId)).toEqual([id(0), id(7)]);
  expect(content).not.toHaveProperty('thin');
  expect(WEBHOOK_BODIES['graph.changed'].parse(bodyOf(content))).toEqual(bodyOf(content));
});

test.each([
  ['ids only', batch(20, 'ü'.repeat(2_000)), { thin: true }],
  ['the first ids', batch(2_000, 'x'), { thin: true, truncated: true }],
])('[HOOK6] a message that would be too long has %s, and fits next to the ranges of many feeds', (_, long, marks) => {
  expect(bytesOfBatch(long)).toBeGreaterThan(contentBytes(MOST_RANGES));
  const content = messageContent([long], contentBytes(MOST_RANGES));
  expect(content).toMatchObject(marks);
  expect(content.events.length).toBeGreaterThan(10);
  expect(Object.keys(content.events[0] ?? {})).toEqual(['type', 'batchId', 'id']);
  expect(Buffer.byteLength(JSON.stringify(bodyOf(content)))).toBeLessThanOrEqual(WEBHOOK_MESSAGE_BYTES);
  expect(WEBHOOK_BODIES['graph.changed'].parse(bodyOf(content))).toEqual(bodyOf(content));
});

test('[HOOK6] a batch whose events have no fields is thin', () => {
  const content = messageContent([{ ...batch(1), isThin: true }], contentBytes(1));
  expect(content).toMatchObject({ thin: true });
  expect(content).not.toHaveProperty('truncated');
});

/** A batch whose actor has the longest name and e-mail. */
const named = (number: number, count: number): BatchEvents => ({
  ...batch(count),
  batchId: id(number),
  actor: { username: 'ü'.repeat(100), email: `${'e'.repeat(243)}@example.com` },
});

test('[HOOK6] many batches by actors with long names are truncated to those that fit, each with its events', () => {
  const batches = Array.from({ length: 250 }, (_, index) => named(index, 1));
  const content = messageContent(batches, contentBytes(MOST_RANGES));
  expect(content).toMatchObject({ thin: true, truncated: true });
  expect(content.batches.length).toBeGreaterThan(10);
  expect(content.events.map(({ batchId }) => batchId)).toEqual(content.batches.map(({ batchId }) => batchId));
  expect(content.batches.map(({ batchId }) => batchId)).toEqual(
    batches.slice(0, content.batches.length).map(({ batchId }) => batchId),
  );
  expect(Buffer.byteLength(JSON.stringify(bodyOf(content)))).toBeLessThanOrEqual(WEBHOOK_MESSAGE_BYTES);
  expect(WEBHOOK_BODIES['graph.changed'].parse(bodyOf(content))).toEqual(bodyOf(content));
});

test('[HOOK6] a message names no batch without events, and none whose events do not fit', () => {
  const [first, empty, last] = [named(1, 1), named(2, 0), named(3, 40)];
  const whole = messageContent([first, empty, last], contentBytes(1));
  expect(whole.batches.map(({ batchId }) => batchId)).toEqual([id(1), id(3)]);
  const most = thinBytesOfBatch(first) + thinBytesOfBatch(last);
  expect(bytesOfBatch(first) + bytesOfBatch(last)).toBeGreaterThan(most);
  const thin = messageContent([first, empty, last], most);
  expect([thin.events.length, thin.thin, thin.truncated]).toEqual([41, true, undefined]);
  const short = messageContent([first, empty, last], most - 1);
  expect([short.events.length, short.batches.length, short.truncated]).toEqual([40, 2, true]);
  const alone = messageContent([first, empty, last], thinBytesOfBatch(first));
  expect([alone.events.length, alone.batches.map(({ batchId }) => batchId), alone.truncated]).toEqual([
    1,
    [id(1)],
    true,
  ]);
});
