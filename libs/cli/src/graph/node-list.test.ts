import { expect, test } from 'vitest';
import { graphWith } from '../test/support/graphs.ts';
import { listIn, type NodeFilter, type NodeOrder } from './node-list.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const graph = graphWith([
  { title: 'Step 10', dueDate: '2026-05-01T12:00:00.000Z', priority: 1, assignee: ['Ann'] },
  { title: 'Step 9', dueDate: '2026-07-01T12:00:00.000Z', priority: 3, tags: ['Büro'], assignee: ['bob', 'me'] },
  { title: 'done', dueDate: '2026-05-02T12:00:00.000Z', priority: 3, status: 3 },
  { title: 'Étude', priority: 2, assignee: ['ANN'] },
]);
const list = (filter: NodeFilter, order: NodeOrder = {}) => listIn(graph, filter, order, NOW).map(({ title }) => title);

test('[FIND10] all conditions must hold', () => {
  expect(list({})).toEqual(['Step 10', 'done', 'Step 9', 'Étude']);
  expect(list({ overdue: true })).toEqual(['Step 10']);
  expect(list({ due: '2026-05-02T12:00:00.000Z' })).toEqual(['Step 10', 'done']);
  expect(list({ due: '2026-05-02T12:00:00.000Z', status: 3 })).toEqual(['done']);
  expect(list({ due: null })).toEqual(['Étude']);
  expect(list({ overdue: true, due: null })).toEqual([]);
});

test('[FIND10 IO7] tags and assignees are words, and `me` means the user', () => {
  expect(list({ tag: 'BURO' })).toEqual(['Step 9']);
  expect(list({ assignee: 'ann' })).toEqual(['Step 10', 'Étude']);
  expect(list({ assignee: 'me' })).toEqual(['Step 10', 'Step 9', 'Étude']);
  expect(list({ assignee: 'bob' })).toEqual(['Step 9']);
});

test('[FIND10 IO7] nodes without the value come last, and equal nodes stay in the usual order', () => {
  expect(list({}, { sort: 'due', isDescending: true })).toEqual(['Step 9', 'done', 'Step 10', 'Étude']);
  expect(list({}, { sort: 'due' })).toEqual(['Step 10', 'done', 'Step 9', 'Étude']);
  expect(list({}, { sort: 'priority', isDescending: true })).toEqual(['done', 'Step 9', 'Étude', 'Step 10']);
  expect(list({}, { sort: 'title' })).toEqual(['done', 'Étude', 'Step 9', 'Step 10']);
});

test('[FIND10] nodes are sorted by their times', () => {
  const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
  const timed = graphWith([
    { title: 'a', createdTime: at(1), lastEditedTime: at(9) },
    { title: 'b', createdTime: at(2), lastEditedTime: at(8) },
  ]);
  const sorted = (order: NodeOrder) => listIn(timed, {}, order, NOW).map(({ title }) => title);
  expect(sorted({ sort: 'created' })).toEqual(['a', 'b']);
  expect(sorted({ sort: 'edited' })).toEqual(['b', 'a']);
});
