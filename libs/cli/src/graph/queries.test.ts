import { expect, test } from 'vitest';
import { graphWith } from '../test/support/graphs.ts';
import { blockedIn, readyIn, searchIn } from './queries.ts';

const titles = (nodes: readonly { readonly title: string }[]) => nodes.map(({ title }) => title);

test('ready lists Available nodes, by due date before urgency', () => {
  const graph = graphWith([
    { title: 'later', dueDate: '2026-12-01T00:00:00.000Z' },
    { title: 'soon', dueDate: '2026-01-01T00:00:00.000Z' },
    { title: 'urgent', priority: 9 },
    { title: 'some day' },
    { title: 'begun', status: 1 },
    { title: 'blocked', status: 2 },
    { title: 'done', status: 3 },
  ]);
  expect(titles(readyIn(graph))).toEqual(['soon', 'later', 'urgent', 'some day']);
});

test('blocked names the open blockers of a node', () => {
  const nodes = [{ title: 'goal', status: 2 }, { title: 'open' }, { title: 'done', status: 3 }, { title: 'beside' }];
  const graph = graphWith(nodes, [
    ['open', 'goal'],
    ['done', 'goal'],
    ['beside', 'goal', 1],
  ]);
  expect(blockedIn(graph).map(({ node, blockers }) => [node.title, titles(blockers)])).toEqual([['goal', ['open']]]);
});

test('search requires all words and lists matches in titles first', () => {
  const graph = graphWith([
    { title: 'a note', description: 'on the new domain' },
    { title: 'New domain' },
    { title: 'domain', tags: ['renewal'] },
    { title: 'domain alone' },
  ]);
  expect(titles(searchIn(graph, ['NEW', 'domain']))).toEqual(['New domain', 'a note', 'domain']);
  expect(searchIn(graph, ['new', 'nothing'])).toEqual([]);
});

test.each([
  ['istanbul', 'İstanbul işleri'],
  ['İSTANBUL İŞLERİ', 'İstanbul işleri'],
  ['Caf\u00e9', 'Cafe\u0301 with Zoe'],
  ['CAFE zoë', 'Cafe\u0301 with Zoe'],
  ['strasse', 'Straße fegen'],
  ['οδυσσευσ', 'ΟΔΥΣΣΕΎΣ'],
  ['file', 'The ﬁle'],
  ['task 1', 'Ｔａｓｋ　１'],
])('[IO7] search for %s finds %s', (words, title) => {
  const titled = ['İstanbul işleri', 'Cafe\u0301 with Zoe', 'Straße fegen', 'ΟΔΥΣΣΕΎΣ', 'The ﬁle', 'Ｔａｓｋ　１'];
  const graph = graphWith(titled.map((each) => ({ title: each })));
  expect(titles(searchIn(graph, [words]))).toEqual([title]);
});

test('[IO7] titles are sorted by collation, with digits as numbers', () => {
  const graph = graphWith(['Step 10', 'zebra', 'Étude', 'Step 9', 'apple'].map((title) => ({ title })));
  expect(titles(readyIn(graph))).toEqual(['apple', 'Étude', 'Step 9', 'Step 10', 'zebra']);
});
