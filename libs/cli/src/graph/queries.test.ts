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

test('[FIND4 FIND10] search requires all words, each at the beginning of a word', () => {
  const graph = graphWith([{ title: 'New domain' }, { title: 'domain alone' }, { title: 'renew the domain' }]);
  expect(titles(searchIn(graph, ['NEW', 'dom']))).toEqual(['New domain']);
  expect(titles(searchIn(graph, ['new domain']))).toEqual(['New domain']);
  expect(searchIn(graph, ['new', 'nothing'])).toEqual([]);
});

test('[FIND5 FIND10] search lists matches in titles first, then in tags, then the last edited', () => {
  const edited = (day: number) => ({ lastEditedTime: `2026-01-0${day}T00:00:00.000Z` });
  const graph = graphWith([
    { title: 'a note', description: 'on the domain', ...edited(9) },
    { title: 'a page', tags: ['domain'], ...edited(3) },
    { title: 'old domain', ...edited(1) },
    { title: 'new domain', ...edited(2) },
  ]);
  expect(titles(searchIn(graph, ['domain']))).toEqual(['new domain', 'old domain', 'a page', 'a note']);
});

test('[FIND4 FIND10] search refuses more than 10 words', () => {
  const words = Array.from({ length: 11 }, () => 'word');
  const code = 'bad_request.invalid_text';
  expect(() => searchIn(graphWith([]), words)).toThrow(expect.objectContaining({ code }));
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
