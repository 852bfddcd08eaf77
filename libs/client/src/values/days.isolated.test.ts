// Days and instants in time zones from -12 to +14 and around clock changes. Isolated, since the
// time zone applies to the whole process.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { dayOf, dueDateInFile, dueDateOf, dueMs, dueText, momentOf, momentText, TimeFault } from './days.ts';

const ZONES = [
  'Etc/GMT+12',
  'Pacific/Pago_Pago',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Nuuk',
  'America/Havana',
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];
/** The days that zones skipped when they crossed the date line. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'Pacific/Apia': '2011-12-30',
  'Pacific/Kiritimati': '1994-12-31',
};
const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

/** Moments of 30 years, often at quarters of an hour, when clocks change. */
const instants = fc
  .integer({ min: Date.UTC(1995, 0), max: Date.UTC(2027, 0) })
  .chain((ms) => fc.constantFrom(ms, ms - (ms % 900_000), ms - (ms % 900_000) - 1_000))
  .map((ms) => new Date(ms).toISOString());
const days = fc
  .integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) })
  .map((ms) => new Date(ms).toISOString().slice(0, 10));

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof TimeFault) return error.message;
    throw error;
  }
  return 'it was taken';
}

describe.each(ZONES)('[IO6] in %s', (zone) => {
  test('a written day stays the same day', () => {
    process.env.TZ = zone;
    const property = fc.property(days, (day) => {
      const stored = dueDateOf(day);
      expect(stored).toBe(`${day}T23:59:59.000Z`);
      expect(dueDateInFile(day)).toBe(stored);
      expect([dayOf(stored), dueText(stored)]).toEqual([day, day]);
    });
    fc.assert(property, { numRuns: runs(100) });
  });

  test('the text of an instant is parsed as the same second', () => {
    process.env.TZ = zone;
    const property = fc.property(instants, (instant) => {
      const second = `${instant.slice(0, 19)}.000Z`;
      expect(dueDateOf(momentText(instant))).toBe(second);
      const shown = dueText(second);
      // The last second of a day in this zone shows as that day.
      if (shown.length > 10) expect(dueDateOf(shown)).toBe(second);
      else expect(`${shown} 23:59:59`).toBe(dayOf(second) === null ? momentText(second) : `${dayOf(second)} 23:59:59`);
    });
    fc.assert(property, { numRuns: runs(100) });
  });

  test('the start and end of a day lie within it, and days follow each other without a gap', () => {
    process.env.TZ = zone;
    const property = fc.property(days, (day) => {
      fc.pre(day !== LEFT_OUT[zone]);
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      const [start, end] = [momentOf(day, 'start'), momentOf(day, 'end')];
      for (const each of [start, end]) expect(momentText(each).slice(0, 10)).toBe(day);
      const hours = (Date.parse(end) + 1_000 - Date.parse(start)) / 3_600_000;
      // Clocks have also changed by two hours.
      expect(hours).toBeGreaterThanOrEqual(22);
      expect(hours).toBeLessThanOrEqual(26);
      if (next !== LEFT_OUT[zone]) expect(Date.parse(momentOf(next, 'start'))).toBe(Date.parse(end) + 1_000);
      expect(dueMs(dueDateOf(day))).toBe(Date.parse(end));
    });
    fc.assert(property, { numRuns: runs(100) });
  });

  test('a day that an older version stored in this zone shows as that day', () => {
    process.env.TZ = zone;
    for (const day of ['2026-01-31', '2026-07-01', '2026-12-24', '1999-12-31'])
      expect(dueText(new Date(`${day}T23:59:59`).toISOString())).toBe(day);
  });
});

test.each([
  ['Etc/GMT+12', '2026-12-24 06:00'],
  ['America/Los_Angeles', '2026-12-24 10:00'],
  ['UTC', '2026-12-24 18:00'],
  ['Asia/Kathmandu', '2026-12-24 23:45'],
  ['Pacific/Kiritimati', '2026-12-25 08:00'],
])('[IO6] an instant shows in the reader’s zone: %s', (zone, text) => {
  process.env.TZ = zone;
  expect(dueText('2026-12-24T18:00:00.000Z')).toBe(text);
  expect(momentText('2026-12-24T18:00:07.500Z')).toBe(`${text}:07`);
  expect(dueDateOf(text)).toBe('2026-12-24T18:00:00.000Z');
});

test.each([
  // 23 and 25 hours.
  ['America/Los_Angeles', '2026-03-08', '2026-03-08T08:00:00.000Z', '2026-03-09T06:59:59.000Z'],
  ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00.000Z', '2026-11-02T07:59:59.000Z'],
  // Days without a midnight.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T01:59:59.000Z'],
  ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z', '2024-04-26T20:59:59.000Z'],
  // A day that ends at 23:00.
  ['America/Nuuk', '2024-03-30', '2024-03-30T02:00:00.000Z', '2024-03-31T00:59:59.000Z'],
  // The day before a skipped one.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00.000Z', '2011-12-30T09:59:59.000Z'],
])('[IO6] in %s %s is from %s to %s', (zone, day, start, end) => {
  process.env.TZ = zone;
  expect([momentOf(day, 'start'), momentOf(day, 'end')]).toEqual([start, end]);
  expect([momentText(start).slice(0, 10), momentText(end).slice(0, 10)]).toEqual([day, day]);
});

test('[IO6] the two hours around a clock change have different texts', () => {
  process.env.TZ = 'America/Los_Angeles';
  expect(dueText('2026-11-01T08:30:00.000Z')).toBe('2026-11-01 01:30');
  expect(dueText('2026-11-01T09:30:00.000Z')).toBe('2026-11-01 01:30-08:00');
});

test('[IO6] skipped times and skipped days are refused', () => {
  process.env.TZ = 'America/Los_Angeles';
  expect(refusalOf(() => dueDateOf('2026-03-08T02:30'))).toBe(
    'names a time that clocks skip in the time zone of this computer',
  );
  expect(dueDateInFile('2026-03-08T02:30')).toBe('2026-03-08T02:30:00.000Z');
  process.env.TZ = 'Pacific/Apia';
  expect(refusalOf(() => momentOf('2011-12-30', 'end'))).toBe(
    'names a day that the time zone of this computer left out',
  );
  expect(dueText(dueDateOf('2011-12-30'))).toBe('2011-12-30');
  expect(Number.isFinite(dueMs(dueDateOf('2011-12-30')))).toBe(true);
});

test.each([
  ['2026-02-30', 'names a day that does not exist'],
  ['2026-02-30T10:00:00Z', 'names a day that does not exist'],
  ['2026-02-29', 'names a day that does not exist'],
  ['1900-02-29', 'names a day that does not exist'],
  ['2026-13-01', 'names a day that does not exist'],
  ['2026-00-10', 'names a day that does not exist'],
  ['2026-12-00', 'names a day that does not exist'],
  ['2026-12-24T24:61', 'names a time of day that does not exist'],
  ['2026-12-24T24:00:01', 'names a time of day that does not exist'],
  ['2026-12-24T10:60', 'names a time of day that does not exist'],
  ['2026-12-24T10:00:60Z', 'names a time of day that does not exist'],
  ['2026-12-24T10:00:00+24:00', 'has an offset that does not exist'],
  ['0000-01-01T00:00:00+01:00', 'is outside of the years 0 to 9999'],
  ['9999-12-31T23:59:59-01:00', 'is outside of the years 0 to 9999'],
  // Engines accept these as times.
  ...['12', 'foo 12', '24 Dec 2026', '12/24/2026', '+002026-12-24', 'tomorrow', ''].map((text): [string, string] => [
    text,
    'is not a time such as 2026-12-24, 2026-12-24T18:00 or 2026-12-24T18:00:00Z',
  ]),
])('[IO6] %j is refused: it %s', (text, reason) => {
  process.env.TZ = 'UTC';
  expect(refusalOf(() => dueDateOf(text))).toBe(reason);
  expect(refusalOf(() => momentOf(text, 'start'))).toBe(reason);
  expect(dueDateInFile(text)).toBeNull();
});

test.each([
  ['2024-02-29', '2024-02-29T23:59:59.000Z'],
  ['0000-02-29', '0000-02-29T23:59:59.000Z'],
  ['0099-12-31 10:00', '0099-12-31T10:00:00.000Z'],
  ['2026-12-24T24:00', '2026-12-25T00:00:00.000Z'],
  ['2026-12-24 18:00:07.25', '2026-12-24T18:00:07.250Z'],
  ['2026-12-24T18:00+05:45', '2026-12-24T12:15:00.000Z'],
  ['2026-12-24T18:00:00 -0930', '2026-12-25T03:30:00.000Z'],
  ['2026-12-24T18:00+02', '2026-12-24T16:00:00.000Z'],
])('[IO6] %s means %s', (text, time) => {
  process.env.TZ = 'UTC';
  expect([dueDateOf(text), dueDateInFile(text)]).toEqual([time, time]);
});
