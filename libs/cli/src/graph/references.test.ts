import { describe, expect, test } from 'vitest';
import { CliError } from '../failures.ts';
import { graphWith } from '../test/support/graphs.ts';
import { findNode, nodeIn, shortIdsOf, slugOf } from './references.ts';

const graph = graphWith([
  { title: 'Go live' },
  { title: 'Go live again' },
  { title: 'Write the text' },
  { title: 'Überfällig: “Zoë”' },
]);
const [first] = [...graph.nodes.values()];

describe('a node is found by', () => {
  test.each([
    ['its id', first?.id ?? '', 'Go live'],
    ['its id in capitals', (first?.id ?? '').toUpperCase(), 'Go live'],
    ['the end of its id', (first?.id ?? '').slice(-6), 'Go live'],
    ['its title, though another title begins with it', 'go LIVE', 'Go live'],
    ['its title as one word', 'go-live-again', 'Go live again'],
    ['the beginning of its title', 'write', 'Write the text'],
    ['a part of its title', 'the te', 'Write the text'],
    ['letters beyond ASCII', 'überfällig-zoë', 'Überfällig: “Zoë”'],
  ])('%s', (_name, reference, title) => {
    expect(nodeIn(graph, reference).title).toBe(title);
  });
});

describe('[IO7] a node is found by equivalent words', () => {
  const all = graphWith([
    { title: 'İstanbul işleri' },
    { title: 'Cafe\u0301' },
    { title: 'Strasse' },
    { title: 'STRASSE' },
    { title: 'Straße' },
    { title: 'हिन्दी सीखो' },
    { title: '\u200d' },
  ]);
  test.each([
    ['istanbul', 'İstanbul işleri'],
    ['istanbul-isleri', 'İstanbul işleri'],
    ['ISTANBUL İŞLERİ', 'İstanbul işleri'],
    ['Caf\u00e9', 'Cafe\u0301'],
    ['CAFE', 'Cafe\u0301'],
    ['हिन्दी-सीखो', 'हिन्दी सीखो'],
    ['\u200d', '\u200d'],
  ])('%s is %s', (reference, title) => {
    expect(nodeIn(all, reference).title).toBe(title);
  });

  test.each(['Straße', 'Strasse', 'STRASSE'])('%s: the exact spelling comes first', (title) => {
    expect(nodeIn(all, title).title).toBe(title);
  });

  test('no node is chosen if several titles are equivalent', () => {
    expect(() => nodeIn(all, 'strasse')).toThrow('"strasse" matches 3 nodes.');
  });

  test('invisible characters match no other title', () => {
    expect(() => nodeIn(all, '\u00ad')).toThrow('There is no node');
  });
});

test('several matches are listed with their ids, and none is chosen', () => {
  const find = () => nodeIn(graph, 'go');
  expect(find).toThrow(CliError);
  expect(find).toThrow('"go" matches 2 nodes.');
  try {
    find();
  } catch (error) {
    expect((error as CliError).remedy).toContain('000001 Go live');
  }
});

test.each(['nothing', '', ' ', 'zz'])('%j matches no node', (reference) => {
  expect(() => nodeIn(graph, reference)).toThrow(`There is no node "${reference}".`);
});

test('three digits can match a title, but not the end of an id', () => {
  expect(() => findNode(graph.nodes.values(), '001')).toThrow('There is no node');
});

test('a short id is longer if another id has the same end', () => {
  const nodes = [
    { id: '01985f0e-0000-7000-8000-aaaaaa123456' },
    { id: '01985f0e-0000-7000-8000-bbbbbb123456' },
    { id: '01985f0e-0000-7000-8000-bbbbbb654321' },
  ];
  expect(nodes.map(({ id }) => shortIdsOf(nodes)(id))).toEqual(['a123456', 'b123456', '654321']);
});

test('a title as one word has no separators at its ends', () => {
  expect(slugOf('  Go live! (2nd try)')).toBe('go-live-2nd-try');
  expect(slugOf('Über: “Zoë”')).toBe('uber-zoe');
  expect(slugOf('हिन्दी सीखो')).toBe('हिन्दी-सीखो');
});
