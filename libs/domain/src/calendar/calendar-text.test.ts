// The text of calendars, read by another implementation of RFC 5545.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { barOf, type CalendarNode, type CalendarText, createCalendarText, type PlanBar } from './calendar-text.ts';

const NODE: CalendarNode = {
  id: '01985f0e-3d10-7a11-9c4a-6e8f0a124b53',
  version: 3,
  title: 'Go live',
  status: 0,
  dueDate: '2026-12-24T23:59:59.000Z',
  tags: ['release', 'web'],
  priority: 2,
  createdTime: '2026-01-02T03:04:05.678Z',
  lastEditedTime: '2026-02-03T04:05:06.789Z',
  completedTime: null,
};
const withoutPages = () => null;
const TODAY = '2026-02-01T00:00:00.000Z';
let ids = 0;
/** Another node each time. */
const another = (more: Partial<CalendarNode> = {}): CalendarNode => ({
  ...NODE,
  id: `01985f0e-3d10-7a11-9c4a-${String(++ids).padStart(12, '0')}`,
  ...more,
});
const address = (id: string) => `https://tasks.example.com/task/${id}`;

function textOf(add: (text: CalendarText) => void, { name = 'Due dates', pageUrlOf = address } = {}): string {
  const calendar = createCalendarText(name, pageUrlOf as (id: string) => string | null);
  add(calendar);
  return calendar.text();
}

function entriesIn(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents().map((entry) => ({
    kind: entry.name,
    ...Object.fromEntries(
      entry.getAllProperties().map((property) => {
        const values = property.getValues().map((value) => (typeof value === 'string' ? value : String(value)));
        return [property.name, values.join('|')];
      }),
    ),
  }));
}

test('[ICAL3] a due date is an event: on its day, or at its time', () => {
  const text = textOf((calendar) => {
    calendar.addDueDate(NODE);
    calendar.addDueDate({ ...NODE, id: 'another', dueDate: '2026-12-24T18:00:00.000Z', tags: [], priority: 0 });
    calendar.addDueDate(another({ dueDate: null }));
  });
  const shared = {
    kind: 'vevent',
    sequence: '3',
    dtstamp: '2026-02-03T04:05:06Z',
    created: '2026-01-02T03:04:05Z',
    'last-modified': '2026-02-03T04:05:06Z',
    summary: 'Go live',
    transp: 'TRANSPARENT',
  };
  const [{ id: uid }, url] = [NODE, address(NODE.id)];
  expect(entriesIn(text)).toEqual([
    { ...shared, uid, url, dtstart: '2026-12-24', categories: 'release|web', priority: '5' },
    { ...shared, uid: 'another', url: address('another'), dtstart: '2026-12-24T18:00:00Z' },
  ]);
});

test('[ICAL3] a task has a state, and a due date if there is one', () => {
  const completed = { status: 3, completedTime: '2026-03-04T05:06:07.000Z' };
  const states = [
    {},
    { status: 1, dueDate: null },
    { status: 2, dueDate: '2026-12-24T18:00:00.000Z' },
    completed,
    { ...completed, completedTime: null },
  ];
  const text = textOf((calendar) => {
    for (const state of states) calendar.addTask(another(state));
  });
  const shown = entriesIn(text).map(({ kind, ...entry }) => [
    kind,
    ...['due', 'status', 'completed', 'percent-complete'].map((name) => (entry as Record<string, string>)[name]),
  ]);
  expect(shown).toEqual([
    ['vtodo', '2026-12-24', 'NEEDS-ACTION', undefined, undefined],
    ['vtodo', undefined, 'IN-PROCESS', undefined, undefined],
    ['vtodo', '2026-12-24T18:00:00Z', 'NEEDS-ACTION', undefined, undefined],
    ['vtodo', '2026-12-24', 'COMPLETED', '2026-03-04T05:06:07Z', '100'],
    // An unknown time of completion is that of the last change.
    ['vtodo', '2026-12-24', 'COMPLETED', '2026-02-03T04:05:06Z', '100'],
  ]);
});

const barsIn = (text: string) => entriesIn(text) as unknown as Record<string, string>[];

test('[ICAL3] the bar of a node has the length of its work, in days if there are no times', () => {
  const [days, hours] = [another(), another()];
  const text = textOf((calendar) => {
    const add = (node: CalendarNode, startDate: string, finishDate: string) =>
      calendar.addBar(node, barOf(startDate, finishDate) as PlanBar, TODAY);
    add(days, '2026-01-05T00:00:00.000Z', '2026-01-07T00:00:00.000Z');
    add(hours, '2026-01-05T09:00:00.000Z', '2026-01-05T12:00:00.000Z');
  });
  expect(barsIn(text).map(({ kind, uid, dtstart, dtend }) => [kind, uid, dtstart, dtend])).toEqual([
    ['vevent', `${days.id}-plan`, '2026-01-05', '2026-01-07'],
    ['vevent', `${hours.id}-plan`, '2026-01-05T09:00:00Z', '2026-01-05T12:00:00Z'],
  ]);
  const start = '2026-01-05T09:00:00.000Z';
  expect([barOf(start, start), barOf('9999-12-31T00:00:00.000Z', null), barOf(null, null)]).toEqual([null, null, null]);
});

test('[ICAL3] nothing tells programs that a bar is unchanged: its stamp follows the day', () => {
  const bar = { startDate: '2026-03-05T00:00:00.000Z', finishDate: '2026-03-07T00:00:00.000Z' };
  const stampsOn = (today: string) => {
    const [shown = {}] = barsIn(textOf((calendar) => calendar.addBar(NODE, bar, today)));
    return ['dtstamp', 'sequence', 'last-modified'].map((name) => shown[name]);
  };
  // Its node was edited at the third of February.
  expect(stampsOn('2026-02-03T00:00:00.000Z')).toEqual(['2026-02-03T04:05:06Z', undefined, undefined]);
  expect(stampsOn('2026-02-04T00:00:00.000Z')).toEqual(['2026-02-04T00:00:00Z', undefined, undefined]);
});

test('[ICAL2] a node that is added twice has one entry, for programs refuse two of one UID', () => {
  const bar = { startDate: '2026-03-05T00:00:00.000Z', finishDate: '2026-03-07T00:00:00.000Z' };
  const text = textOf((calendar) => {
    for (const title of ['First', 'Second']) {
      expect(calendar.addDueDate({ ...NODE, title })).toBe(true);
      expect(calendar.addBar({ ...NODE, title }, bar, TODAY)).toBe(true);
    }
  });
  expect(barsIn(text).map(({ uid, summary }) => [uid, summary])).toEqual([
    [NODE.id, 'First'],
    [`${NODE.id}-plan`, 'First'],
  ]);
});

test('[ICAL3] no date is outside the years 1 to 9999, which most programs know', () => {
  const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z'];
  const text = textOf((calendar) => {
    expect(calendar.addDueDate(another({ dueDate: '0000-12-31T23:59:59.000Z' }))).toBe(true);
    calendar.addTask(another({ dueDate: '0000-12-31T23:59:59.000Z' }));
    for (const dueDate of [first, last]) calendar.addDueDate(another({ dueDate }));
    calendar.addTask(another({ dueDate: last }));
  });
  expect(barsIn(text).map(({ kind, dtstart, due }) => [kind, dtstart, due])).toEqual([
    ['vtodo', undefined, undefined],
    ['vevent', '1-01-01T00:00:00Z', undefined],
    // A whole day would end in the year 10000.
    ['vevent', '9999-12-31T23:59:59Z', undefined],
    ['vtodo', undefined, '9999-12-31T23:59:59Z'],
  ]);
  expect(barOf('0000-12-31T00:00:00.000Z', first)).toBe(null);
});

test('[ICAL2] a calendar has a name, says when to read it again, and may be empty', () => {
  const text = textOf(() => undefined, { name: 'Due; dates' });
  expect(text.split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Taskgraph//Taskgraph//EN',
    'CALSCALE:GREGORIAN',
    'NAME:Due\\; dates',
    'X-WR-CALNAME:Due\\; dates',
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    'END:VCALENDAR',
    '',
  ]);
  expect(entriesIn(text)).toEqual([]);
});

/** Texts with the characters that end lines, values and properties. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\u2028',
        ' ',
        ';',
        ',',
        ':',
        '\\',
        '"',
        'é',
        '😀',
        'x'.repeat(30),
        'END:VEVENT',
        'ATTACH:x',
      ),
    )
    .map((parts) => parts.join('')),
);

test('[ICAL3] no title, tag or name makes a line or a property, and lines have at most 75 octets', () => {
  const property = fc.property(
    hostileText,
    fc.array(hostileText, { maxLength: 3 }),
    hostileText,
    (title, tags, name) => {
      const text = textOf(
        (calendar) => {
          calendar.addDueDate(another({ title, tags }));
          calendar.addTask(another({ title, tags }));
        },
        { name, pageUrlOf: withoutPages as never },
      );
      for (const line of text.split('\r\n')) {
        expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
        expect(line).not.toMatch(/(?!\t)\p{Cc}|[\u2028\u2029]/u);
      }
      const [event, task, ...others] = entriesIn(text) as unknown as Record<string, string>[];
      expect(others).toEqual([]);
      const shared = ['uid', 'sequence', 'dtstamp', 'created', 'last-modified', 'summary', 'priority'];
      const categories = tags.length === 0 ? [] : ['categories'];
      const namesOf = ({ kind: _, ...entry }: Record<string, string> = {}) => Object.keys(entry).sort();
      expect(namesOf(event)).toEqual([...shared, ...categories, 'dtstart', 'transp'].sort());
      expect(namesOf(task)).toEqual([...shared, ...categories, 'due', 'status'].sort());
      const read = title.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '');
      expect([event?.summary, task?.summary]).toEqual([read, read]);
    },
  );
  fc.assert(property, { numRuns: runs(150) });
});

test('[ICAL3] a calendar ends after 5,000 entries or 4,000,000 characters', () => {
  const calendar = createCalendarText('Due dates', withoutPages);
  for (let count = 0; count < 5_000; count++)
    expect([calendar.isFull(), calendar.addDueDate(another())]).toEqual([false, true]);
  expect([calendar.isFull(), calendar.addDueDate(another()), calendar.addTask(another())]).toEqual([
    true,
    false,
    false,
  ]);
  expect(calendar.text().match(/BEGIN:VEVENT/g)).toHaveLength(5_000);
  const wide = createCalendarText('Due dates', withoutPages);
  const long = { tags: Array.from({ length: 64 }, () => 'x'.repeat(100)) };
  let entries = 0;
  while (entries < 1_000 && wide.addTask(another(long))) entries++;
  expect(wide.text().length).toBeLessThan(4_001_000);
  expect(entries).toBeGreaterThan(500);
  expect(entries).toBeLessThan(1_000);
  // Not even a short one follows: which entries are left out depends on their order alone.
  expect([wide.isFull(), wide.addTask(another())]).toEqual([true, false]);
});
