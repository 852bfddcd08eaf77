import { describe, expect, test } from 'vitest';
import { createSenderClocks } from './sender-clocks.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

test.each([
  ['is an hour ahead', HOUR_MS],
  ['is an hour behind', -HOUR_MS],
])('a clock that %s is known from the first message', (_how, aheadMs) => {
  const clocks = createSenderClocks();
  expect(clocks.aheadOf('gateway', NOW - aheadMs, NOW + 20)).toBe(aheadMs + 20);
  expect(clocks.aheadOf('gateway', NOW - aheadMs, NOW + 5)).toBe(aheadMs + 5);
});

test('clocks that are next to equal count as equal, whatever a message takes on its way', () => {
  const clocks = createSenderClocks();
  expect(clocks.aheadOf('gateway', NOW, NOW + 3)).toBe(0);
  expect(clocks.aheadOf('gateway', NOW, NOW + 400)).toBe(0);
});

test('a message that lay about during a pause is late, however long the pause was', () => {
  const clocks = createSenderClocks();
  for (let at = 0; at < 30_000; at += 1_000) expect(clocks.aheadOf('gateway', NOW + at, NOW + at + 2)).toBe(0);
  const awake = NOW + 30_000 + HOUR_MS;
  for (let at = 0; at < 5; at++) expect(clocks.aheadOf('gateway', NOW + 30_000 + at, awake + at)).toBe(0);
});

test('a clock that was set right is believed after two windows', () => {
  const clocks = createSenderClocks();
  clocks.aheadOf('gateway', NOW + HOUR_MS, NOW);
  let last = 0;
  for (let at = 0; at <= 30_000; at += 1_000) last = clocks.aheadOf('gateway', NOW + at, NOW + at);
  expect(last).toBe(0);
});

test('senders are apart, and no more are remembered than a thousand', () => {
  const clocks = createSenderClocks();
  clocks.aheadOf('first', NOW - HOUR_MS, NOW);
  expect(clocks.aheadOf('other', NOW, NOW)).toBe(0);
  expect(clocks.aheadOf('first', NOW, NOW + HOUR_MS + 1)).toBe(HOUR_MS);
  for (let index = 0; index < 1_000; index++) clocks.aheadOf(`sender ${index}`, NOW, NOW);
  expect(clocks.aheadOf('first', NOW - 2 * HOUR_MS, NOW)).toBe(2 * HOUR_MS);
});

describe('a clock that is set while messages come is believed at once', () => {
  const zeros = { theirs: NOW - 5_000, ours: NOW - 9_000 };
  const listening = () => {
    const clocks = createSenderClocks();
    expect(clocks.aheadOf('gateway', NOW, NOW + 2, zeros)).toBe(0);
    return clocks;
  };

  test.each([
    ['ahead', HOUR_MS],
    ['back', -HOUR_MS],
  ])('that of the sender, an hour %s', (_way, byMs) => {
    const set = { ...zeros, theirs: zeros.theirs + byMs };
    expect(listening().aheadOf('gateway', NOW + byMs, NOW + 2, set)).toBe(2 - byMs);
  });

  test.each([
    ['ahead', HOUR_MS],
    ['back', -HOUR_MS],
  ])('our own, an hour %s', (_way, byMs) => {
    const set = { ...zeros, ours: zeros.ours + byMs };
    expect(listening().aheadOf('gateway', NOW, NOW + 2 + byMs, set)).toBe(2 + byMs);
  });

  test('but a message that lay about is late as before', () => {
    expect(listening().aheadOf('gateway', NOW + 10, NOW + HOUR_MS, zeros)).toBe(0);
  });
});
