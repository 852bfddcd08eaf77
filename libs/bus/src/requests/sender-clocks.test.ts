import { describe, expect, test } from 'vitest';
import { type ClockOrigins, createSenderClocks, type SenderClocks } from './sender-clocks.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const TOKEN_AGE_MS = 10;

/** The offset measured for a sender that repeats a message. */
function ahead(clocks: SenderClocks, name: string, sentAt: number, nowMs: number, origins?: ClockOrigins): number {
  const first = clocks.offsetOf(name, { sentAt, nowMs, origins, token: null });
  if (first.question === null) return first.aheadMs;
  // The same sample again, a moment later.
  const [again, later] = [sentAt + TOKEN_AGE_MS, nowMs + TOKEN_AGE_MS];
  const second = clocks.offsetOf(name, { sentAt: again, nowMs: later, origins, token: first.question });
  expect(second.question).toBeNull();
  return second.aheadMs;
}

test.each([
  ['is an hour ahead', HOUR_MS],
  ['is an hour behind', -HOUR_MS],
])('a clock that %s is known after the second message of its sender', (_how, aheadMs) => {
  const clocks = createSenderClocks();
  expect(ahead(clocks, 'gateway', NOW - aheadMs, NOW + 20)).toBe(aheadMs + 20);
  expect(ahead(clocks, 'gateway', NOW - aheadMs, NOW + 5)).toBe(aheadMs + 5);
});

test('nearly equal clocks count as equal for any transfer time', () => {
  const clocks = createSenderClocks();
  expect(ahead(clocks, 'gateway', NOW, NOW + 3)).toBe(0);
  expect(ahead(clocks, 'gateway', NOW, NOW + 400)).toBe(0);
});

test('a message delayed by a pause is late, for any length of the pause', () => {
  const clocks = createSenderClocks();
  for (let at = 0; at < 30_000; at += 1_000) expect(ahead(clocks, 'gateway', NOW + at, NOW + at + 2)).toBe(0);
  const awake = NOW + 30_000 + HOUR_MS;
  for (let at = 0; at < 5; at++) expect(ahead(clocks, 'gateway', NOW + 30_000 + at, awake + at)).toBe(0);
});

test('a corrected clock is accepted after two windows', () => {
  const clocks = createSenderClocks();
  ahead(clocks, 'gateway', NOW + HOUR_MS, NOW);
  let last = 0;
  for (let at = 0; at <= 30_000; at += 1_000) last = ahead(clocks, 'gateway', NOW + at, NOW + at);
  expect(last).toBe(0);
});

test('senders are independent, and at most a thousand are remembered', () => {
  const clocks = createSenderClocks();
  ahead(clocks, 'first', NOW - HOUR_MS, NOW);
  expect(ahead(clocks, 'other', NOW, NOW)).toBe(0);
  expect(ahead(clocks, 'first', NOW, NOW + HOUR_MS + 1)).toBe(HOUR_MS);
  for (let index = 0; index < 1_000; index++) ahead(clocks, `sender ${index}`, NOW, NOW);
  expect(ahead(clocks, 'first', NOW - 2 * HOUR_MS, NOW)).toBe(2 * HOUR_MS);
});

describe('the first message of a sender', () => {
  const LATE_MS = 20_000;
  const late = { sentAt: NOW, nowMs: NOW + LATE_MS };

  test('that arrives late does not count as a different clock: its sender is asked to resend it', () => {
    const clocks = createSenderClocks();
    const { question } = clocks.offsetOf('gateway', { ...late, token: null });
    expect(question).not.toBeNull();
    // Tokens of other origin prove nothing either.
    for (const byMs of [1_000, 10_000, 19_000]) {
      const other = { sentAt: NOW + byMs, nowMs: NOW + LATE_MS, token: null };
      expect(clocks.offsetOf('gateway', other).question).not.toBeNull();
    }
    const again = { sentAt: NOW + LATE_MS + 30, nowMs: NOW + LATE_MS + 31, token: question };
    expect(clocks.offsetOf('gateway', again)).toEqual({ aheadMs: 0, question: null });
    expect(clocks.offsetOf('gateway', { ...late, token: null })).toEqual({ aheadMs: 0, question: null });
  });

  test('that arrives late from a different clock is judged by the clock alone', () => {
    const clocks = createSenderClocks();
    const { question } = clocks.offsetOf('gateway', { sentAt: NOW + HOUR_MS, nowMs: NOW + LATE_MS, token: null });
    const again = { sentAt: NOW + HOUR_MS + LATE_MS + 30, nowMs: NOW + LATE_MS + 31, token: question };
    expect(clocks.offsetOf('gateway', again)).toEqual({ aheadMs: 1 - HOUR_MS, question: null });
  });

  test('proves nothing with the token of another worker, with an old one, or with a broken one', () => {
    const clocks = createSenderClocks();
    const others = createSenderClocks().offsetOf('gateway', { ...late, token: null }).question as string;
    const own = clocks.offsetOf('gateway', { ...late, token: null }).question as string;
    const nowMs = NOW + LATE_MS;
    for (const [token, arrivedMs] of [
      [others, nowMs],
      [own, nowMs + 600],
      [own, nowMs - 1],
      ['', nowMs],
      ['a b c', nowMs],
    ] as const) {
      expect(clocks.offsetOf('gateway', { sentAt: NOW, nowMs: arrivedMs, token }).question, token).not.toBeNull();
    }
  });

  test("is accepted without a token, as in a read, but does not set the sender's clock", () => {
    const clocks = createSenderClocks();
    expect(clocks.offsetOf('gateway', late)).toEqual({ aheadMs: LATE_MS, question: null });
    expect(clocks.offsetOf('gateway', { ...late, token: null }).question).not.toBeNull();
  });
});

describe('a clock change between messages is accepted immediately', () => {
  const origins = { theirs: NOW - 5_000, ours: NOW - 9_000 };
  const listening = () => {
    const clocks = createSenderClocks();
    expect(ahead(clocks, 'gateway', NOW, NOW + 2, origins)).toBe(0);
    return clocks;
  };

  test.each([
    ['ahead', HOUR_MS],
    ['back', -HOUR_MS],
  ])('that of the sender, an hour %s', (_way, byMs) => {
    const set = { ...origins, theirs: origins.theirs + byMs };
    expect(ahead(listening(), 'gateway', NOW + byMs, NOW + 2, set)).toBe(2 - byMs);
  });

  test.each([
    ['ahead', HOUR_MS],
    ['back', -HOUR_MS],
  ])('our own, an hour %s', (_way, byMs) => {
    const set = { ...origins, ours: origins.ours + byMs };
    expect(ahead(listening(), 'gateway', NOW, NOW + 2 + byMs, set)).toBe(2 + byMs);
  });

  test('but a delayed message is still late', () => {
    expect(ahead(listening(), 'gateway', NOW + 10, NOW + HOUR_MS, origins)).toBe(0);
  });
});
