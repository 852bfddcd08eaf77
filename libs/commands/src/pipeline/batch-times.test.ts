import { expect, test } from 'vitest';
import { aheadMs, createBatchTimes } from './batch-times.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const EARLIER = '2025-12-31T00:00:00.000Z';
const AHEAD = '2026-01-01T01:00:00.000Z';
const AFTER = '2026-01-01T01:00:00.001Z';
const users = new Map([
  ['ann', { lastTs: AHEAD }],
  ['bob', { lastTs: EARLIER }],
  ['new', { lastTs: '' }],
]);

test("[HIS7] a batch's time is now, but after the newest batch of each owner whom it concerns", () => {
  const times = createBatchTimes(users, NOW);
  expect(times.earliest(['bob', 'new'])).toBe(NOW);
  expect(times.earliest(['ann', 'bob'])).toBe(AFTER);
});

test("[HIS7] an owner's future time advances by a millisecond per group and does not affect other owners", () => {
  const times = createBatchTimes(users, NOW);
  for (let batch = 0; batch < 3; batch++) {
    expect(times.earliest(['ann'])).toBe(AFTER);
    times.note(['ann'], AFTER);
    expect(times.earliest(['bob'])).toBe(NOW);
    times.note(['bob'], NOW);
  }
  expect([...times.newest]).toEqual([
    ['ann', AFTER],
    ['bob', NOW],
  ]);
});

test('[HIS7] owners of the same batch adopt a future time', () => {
  const times = createBatchTimes(users, NOW);
  times.note(['ann', 'bob'], AFTER);
  expect(times.earliest(['bob'])).toBe(AFTER);
  times.note(['bob'], NOW);
  expect(times.newest.get('bob')).toBe(AFTER);
});

test('aheadMs is the lead of the newest batch', () => {
  expect(aheadMs(users, NOW)).toBe(3_600_000);
  expect(aheadMs(new Map(), NOW)).toBe(0);
});
