import { describe, expect, test } from 'vitest';
import { BOUNDS, dueTime, firstMoment, text, timestamp, writableNodeFields } from './fields.ts';

describe('timestamps', () => {
  test.each([
    ['2026-01-05T08:00:00Z', '2026-01-05T08:00:00.000Z'],
    ['2026-01-05T08:00:00.5Z', '2026-01-05T08:00:00.500Z'],
    ['2026-01-05T08:00:00.123456Z', '2026-01-05T08:00:00.123Z'],
    ['2026-01-05T08:00:00+02:00', '2026-01-05T06:00:00.000Z'],
    ['2026-01-05T00:30:00+05:45', '2026-01-04T18:45:00.000Z'],
    ['2026-01-05T08:00:00-0330', '2026-01-05T11:30:00.000Z'],
    ['2026-01-05T08:00:00+02', '2026-01-05T06:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-01-05T08:00Z', '2026-01-05T08:00:00.000Z'],
    ['2026-01-05t08:00:00z', '2026-01-05T08:00:00.000Z'],
    ['2026-01-05T08:00:00,25Z', '2026-01-05T08:00:00.250Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['20260105T080000Z', '2026-01-05T08:00:00.000Z'],
    ['20260105T0800+0200', '2026-01-05T06:00:00.000Z'],
    ['20260105T080000.5-03', '2026-01-05T11:00:00.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('[GEN2] %s is stored as %s', (given, kept) => {
    expect(timestamp.parse(given)).toBe(kept);
  });

  test.each([
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-05T25:00:00Z',
    '2026-01-05T24:00:01Z',
    '9999-12-31T24:00:00Z',
    '2026-01-05T08:00:60Z',
    '2026-00-05T08:00:00Z',
    '2026-01-00T08:00:00Z',
    '20260105T08:00:00Z',
    '2026-01-05T080000Z',
    '2026-W02-1T08:00:00Z',
    '20260105',
    '2026-01-05T08:61:00Z',
    '2026-01-05T08:00:00+25:00',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '2026-01-05T08:00:00',
    '2026-01-05',
    '2026-01-05+02',
    `2026-01-05T08:00:00.${'0'.repeat(100)}Z`,
    `${'T+00'.repeat(20_000)}!`,
    '2026-01-05 08:00:00Z',
    'tomorrow',
    '',
    1_767_600_000_000,
    null,
  ])('[GEN2] %j is refused', (given) => {
    expect(timestamp.safeParse(given).success).toBe(false);
  });
});

describe('due times', () => {
  test.each([
    ['2026-12-24', '2026-12-24T23:59:59.000Z'],
    ['20261224', '2026-12-24T23:59:59.000Z'],
    ['2024-02-29', '2024-02-29T23:59:59.000Z'],
    ['2026-12-24T18:00:00+02:00', '2026-12-24T16:00:00.000Z'],
  ])('[GEN2] %s is stored as %s', (given, stored) => {
    expect(dueTime.parse(given)).toBe(stored);
  });

  test.each(['2026-02-29', '2026-13-01', '2026-1-5', '26-01-05', '2026-01-05Z', '2026-01', '2026-12-24T18:00'])(
    '[GEN2] %j is refused with an example',
    (given) => {
      const { error } = dueTime.safeParse(given);
      expect(error?.issues[0]?.message).toContain('2026-12-24T18:00:00Z, or a day such as 2026-12-24');
    },
  );
});

describe('times from which something counts', () => {
  test.each([
    ['2026-12-24', '2026-12-24T00:00:00.000Z'],
    ['20261224', '2026-12-24T00:00:00.000Z'],
    ['2026-12-24T18:00:00+02:00', '2026-12-24T16:00:00.000Z'],
  ])('[GEN2 HISX1] %s is %s', (given, time) => {
    expect(firstMoment.parse(given)).toBe(time);
  });

  test.each(['2026-02-29', 'yesterday'])('[GEN2] %j is refused', (given) => {
    expect(firstMoment.safeParse(given).success).toBe(false);
  });
});

const astral = '\u{1f600}';

test.each([
  ['a NUL', 'a\0b', false],
  ['a lone high surrogate', 'a\ud83d', false],
  ['a lone low surrogate', '\ude00a', false],
  ['a surrogate pair', astral, true],
  ['ten units', astral.repeat(5), true],
  ['eleven units', `${astral.repeat(5)}a`, false],
])('[GEN4] text of at most ten units with %s: %j, %s', (_what, value, accepted) => {
  expect(text(10).safeParse(value).success).toBe(accepted);
});

const letters = (count: number) => 'a'.repeat(count);
const many = (count: number, item = 'a') => Array.from({ length: count }, () => item);

type Field = keyof typeof writableNodeFields;

const bounds: [Field, string, unknown, unknown][] = [
  ['title', 'letters', letters(500), letters(501)],
  ['description', 'letters', letters(20_000), letters(20_001)],
  ['tags', 'tags', many(64), many(65)],
  ['tags', 'letters of a tag', [letters(100)], [letters(101)]],
  ['assignee', 'assignees', many(64), many(65)],
  ['assignee', 'letters of an assignee', [letters(255)], [letters(256)]],
  ['priority', 'most', 1_000_000, 1_000_001],
  ['priority', 'least', 0, -1],
  ['volume', 'most', 1_000_000, 1_000_001],
  ['volume', 'least', 0, -1],
  ['status', 'most', 3, 4],
  ['status', 'least', 0, -1],
  ['x', 'finite', Number.MAX_VALUE, Number.POSITIVE_INFINITY],
  ['y', 'finite', -Number.MAX_VALUE, Number.NEGATIVE_INFINITY],
  ['z', 'a number', 0.5, Number.NaN],
];

test.each(bounds)('[NODE2] the bound of %s (%s) is valid, and one more is not', (field, _what, at, past) => {
  expect(writableNodeFields[field].safeParse(at).success).toBe(true);
  expect(writableNodeFields[field].safeParse(past).success).toBe(false);
});

test('[NODE2] a body has at most 256 KiB, an idempotency key at most 255 characters', () => {
  expect(BOUNDS).toMatchObject({ bodyBytes: 262_144, idempotencyKey: 255 });
});
