// Tests that files keep days as days in every time zone. Isolated, because the time zone belongs to
// the process.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { dueDateOf, dueText } from '../values/days.ts';
import { readFile, writeFile } from './formats.ts';
import { BrokenFile, EMPTY_FIELDS, type TransferNode } from './graph/transfer-graph.ts';

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

const options = { now: '2026-01-02T03:04:05.678Z', ids: new Map<string, string>() };
const graphWith = (dueDate: string) => {
  const node: TransferNode = { ...EMPTY_FIELDS, key: '1', line: null, title: 'Go live', dueDate };
  return { nodes: [node], links: [], leftOut: [] };
};
const zones = fc.constantFrom('Etc/GMT+12', 'America/Los_Angeles', 'UTC', 'Africa/Cairo', 'Pacific/Kiritimati');
const days = fc
  .integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) })
  .map((ms) => new Date(ms).toISOString().slice(0, 10));

describe.each(['taskgraph', 'csv', 'todoist', 'vikunja', 'taskwarrior'] as const)('[IO6] %s', (format) => {
  test('a day is the same day in the zone of the writer and of the reader', () => {
    const property = fc.property(days, zones, zones, (day, ours, theirs) => {
      process.env.TZ = ours;
      const { text } = writeFile(graphWith(dueDateOf(day)), format, options);
      process.env.TZ = theirs;
      const [task] = readFile(text, format).nodes;
      expect([task?.dueDate, dueText(task?.dueDate ?? '')]).toEqual([dueDateOf(day), day]);
    });
    fc.assert(property, { numRuns: runs(30) });
  });

  test('an instant stays the same instant', () => {
    const dueDate = '2026-12-24T22:30:15.000Z';
    const { text } = writeFile(graphWith(dueDate), format, options);
    expect(readFile(text, format).nodes[0]?.dueDate).toBe(dueDate);
  });
});

test('[IO6] tables show days as days', () => {
  expect(writeFile(graphWith(dueDateOf('2026-12-24')), 'csv', options).text).toContain(',2026-12-24,');
  expect(writeFile(graphWith(dueDateOf('2026-12-24')), 'todoist', options).text).toContain(',2026-12-24,en,,');
  expect(writeFile(graphWith('2026-12-24T12:00:00.000Z'), 'todoist', options).text).toContain(
    ',2026-12-24T12:00:00.000Z,en,UTC,',
  );
});

test('[IO6] a calendar shows a day as a date, and an instant as a time', () => {
  const dueOf = (dueDate: string) => /^DUE.*$/m.exec(writeFile(graphWith(dueDate), 'icalendar', options).text)?.[0];
  expect(dueOf(dueDateOf('2026-12-24'))?.trim()).toBe('DUE;VALUE=DATE:20261224');
  expect(dueOf('2026-12-24T12:00:00.000Z')?.trim()).toBe('DUE:20261224T120000Z');
});

test.each(['2026-12-24T08:00:00Z', '2026-12-24T07:00:00Z', '2026-12-24T00:00:00Z', '2026-12-24'])(
  '[IO6] a milestone of GitHub that is due on %s is due on the day that GitHub shows',
  (due_on) => {
    const text = JSON.stringify([{ number: 1, title: 'a', state: 'open', milestone: { title: 'v1', due_on } }]);
    const milestone = readFile(text, 'github').nodes.find(({ title }) => title === 'v1');
    expect(milestone?.dueDate).toBe('2026-12-24T23:59:59.000Z');
  },
);

describe.each(['2026-02-30', '2026-13-01', '2026-12-24T24:61:00'])(
  '[IO6] %s is refused, as it does not exist',
  (time) => {
    const uuid = '01985f0e-0000-7000-8000-000000000001';
    const clock = time.includes('T') ? `${time}Z` : `${time}T00:00:00Z`;
    test.each([
      ['taskgraph', `{"taskgraph":1,"nodes":[{"key":"1","dueDate":"${time}"}],"links":[]}`],
      ['vikunja', `[{"id":1,"title":"p","tasks":[{"id":1,"title":"a","due_date":"${clock}"}]}]`],
      [
        'taskwarrior',
        `[{"uuid":"${uuid}","status":"pending","description":"a","due":"${clock.replaceAll(/[-:]/g, '')}"}]`,
      ],
      ['github', `[{"number":1,"title":"a","state":"open","milestone":{"title":"v1","dueOn":"${clock}"}}]`],
    ] as const)('%s', (format, text) => {
      expect(() => readFile(text, format)).toThrow(BrokenFile);
    });

    test('csv reports it, or refuses it if the caller is strict', () => {
      const text = `title,due\na,${time}`;
      const { nodes, leftOut } = readFile(text, 'csv');
      expect([nodes[0]?.dueDate, leftOut[0]?.places]).toEqual([null, [`line 2: "${time}"`]]);
      expect(() => readFile(text, 'csv', { strict: true })).toThrow(BrokenFile);
    });

    test('todoist reports it as a date in words', () => {
      const { nodes, leftOut } = readFile(`TYPE,CONTENT,DATE\ntask,a,${time}`, 'todoist');
      expect([nodes[0]?.dueDate, leftOut.map(({ what }) => what)]).toEqual([null, ['a date in words']]);
    });
  },
);
