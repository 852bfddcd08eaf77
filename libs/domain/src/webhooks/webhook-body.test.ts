import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import { expect, test } from 'vitest';
import { type BatchEvents, bytesOfBatch, contentBytes, MOST_RANGES, messageContent } from './webhook-body.ts';

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
