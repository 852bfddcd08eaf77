// Times in files for `apply` and in tools, the order of due dates, and the days of `ls`. Isolated, because the time
// zone is global to the process.
import { TimeFault } from '@taskgraph/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listIn, type NodeFilter } from '../graph/node-list.ts';
import { sortNodes } from '../graph/queries.ts';
import { graphWith } from '../test/support/graphs.ts';
import { dueFlag, withTimes } from './times.ts';

const before = process.env.TZ;
beforeEach(() => {
  process.env.TZ = 'America/Los_Angeles';
});
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test.each([
  ['node:add', { dueDate: '2026-12-24' }, { dueDate: '2026-12-24T23:59:59.000Z' }],
  ['node:update', { dueDate: '2026-12-24 18:00' }, { dueDate: '2026-12-25T02:00:00.000Z' }],
  ['node:update', { dueDate: null }, { dueDate: null }],
  ['node:update', { dueDate: 7 }, { dueDate: 7 }],
  ['node:access', { due: '2026-12-24' }, { due: '2026-12-25T07:59:59.000Z' }],
  ['graph:plan', { start: '2026-12-24', unit: 'week' }, { start: '2026-12-24T00:00:00.000Z', unit: 'week' }],
  ['graph:plan', { start: '2026-12-24', unit: 'hour' }, { start: '2026-12-24T08:00:00.000Z', unit: 'hour' }],
  ['graph:plan', { start: '2026-12-24T08:00Z', unit: 'day' }, { start: '2026-12-24T08:00:00.000Z', unit: 'day' }],
  ['node:add', { title: '2026-12-24', tags: ['2026-12-24'] }, { title: '2026-12-24', tags: ['2026-12-24'] }],
])('[IO6] %s %j', (event, payload, sent) => {
  expect(withTimes(event, payload)).toEqual(sent);
  expect(withTimes('batch:run', { operations: [{ event, payload, as: 'a' }] })).toEqual({
    operations: [{ event, payload: sent, as: 'a' }],
  });
});

test('[IO6] times that do not exist are rejected with the name of their field; the service validates other shapes', () => {
  expect(() => withTimes('node:add', { dueDate: '2026-02-30' })).toThrow(
    new TimeFault('"dueDate" names a day that does not exist'),
  );
  const odd = { operations: [null, 7, { event: 7 }, { event: 'node:add', payload: null }] };
  expect(withTimes('batch:run', odd)).toEqual(odd);
});

test('[IO6] a day ends in the time zone of its reader, and sorts after the times on it', () => {
  const nodes = graphWith([
    { title: 'the 25th, 0:30', dueDate: '2026-12-25T08:30:00.000Z' },
    { title: 'the 24th', dueDate: '2026-12-24T23:59:59.000Z' },
    { title: 'some day' },
    { title: 'the 24th, 18:00', dueDate: '2026-12-25T02:00:00.000Z' },
  ]).nodes.values();
  expect(sortNodes(nodes).map(({ title }) => title)).toEqual([
    'the 24th, 18:00',
    'the 24th',
    'the 25th, 0:30',
    'some day',
  ]);
});

test('[FIND10 IO6] ls judges due dates by the days of its reader', () => {
  const graph = graphWith([
    { title: 'the 25th, 0:30', dueDate: '2026-12-25T08:30:00.000Z' },
    { title: 'the 24th', dueDate: '2026-12-24T23:59:59.000Z' },
    { title: 'the last moment of the 24th', dueDate: '2026-12-25T07:59:59.999Z' },
  ]);
  const list = (filter: NodeFilter, now: string) =>
    listIn(graph, filter, {}, Date.parse(now)).map(({ title }) => title);
  const due = dueFlag('2026-12-24');
  expect(list({ due }, '2026-01-01T00:00:00.000Z')).toEqual(['the 24th', 'the last moment of the 24th']);
  expect(list({ overdue: true }, '2026-12-25T07:00:00.000Z')).toEqual([]);
  expect(list({ overdue: true }, '2026-12-25T08:00:00.000Z')).toEqual(['the 24th', 'the last moment of the 24th']);
});
