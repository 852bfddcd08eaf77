import type { WireNode } from '@taskgraph/wire/entities';
import { expect, it } from 'vitest';
import { findLosses, type Ledger } from './writers.ts';

const node = (id: string, title: string, version = 1) => ({ id, title, version, volume: version - 1 }) as WireNode;
const ledger = (more: Partial<Ledger> = {}): Ledger => ({
  added: new Map([['one', 'a']]),
  uncertainTitles: new Set(['maybe']),
  bumped: [1, 2],
  uncertainBumps: 0,
  ...more,
});
const nodes = [node('a', 'one'), node('c', 'counter', 3)];

it('there are no losses if each acknowledged change exists once', () => {
  expect(findLosses([ledger()], nodes, 'c')).toEqual([]);
  expect(findLosses([ledger()], [...nodes, node('m', 'maybe')], 'c')).toEqual([]);
  expect(findLosses([ledger({ bumped: [1], uncertainBumps: 1 })], nodes, 'c')).toEqual([]);
});

it.each([
  ['a lost node', [node('c', 'counter', 3)], ledger(), 'one: acknowledged as a, found'],
  ['a doubled node', [...nodes, node('b', 'one')], ledger(), 'found a,b'],
  ['a doubled unanswered node', [...nodes, node('m', 'maybe'), node('n', 'maybe')], ledger(), 'found 2 times'],
  ['an unknown node', [...nodes, node('x', 'else')], ledger(), 'nobody asked'],
  ['a lost update', [node('a', 'one'), node('c', 'counter', 2)], ledger(), 'acknowledged further'],
  ['a doubled update', nodes, ledger({ bumped: [1] }), 'too many'],
  ['two answers for one update', nodes, ledger({ bumped: [1, 1] }), 'two updates of one version'],
  ['a lost counter', [node('a', 'one')], ledger(), 'the counter is gone'],
] as const)('finds %s', (_, found, told, message) => {
  expect(findLosses([told], [...found], 'c').join('\n')).toContain(message);
});
