import { Op } from '@taskgraph/wire/codes';
import type { Ids } from '@taskgraph/wire/public-types';
import { expect, it } from 'vitest';
import { emptyGraph, type GraphState, mergeDiff, movedIn } from './merge-diff.ts';
import type { DiffEntry } from './slice-order.ts';

const whole = (version: number, more = {}) => ({
  id: 'a',
  title: 'one',
  status: 0,
  version,
  createdTime: 't',
  ...more,
});
const entry = (before: object, after: object): DiffEntry => ({ op: Op.NODE_UPDATE, before, after }) as DiffEntry;
const merge = (state: GraphState, ...nodes: DiffEntry[]) => mergeDiff(state, { nodes, links: [] });
const stateOf = (version: number, more = {}) => merge(emptyGraph, entry({}, whole(version, more))).state;
const patch = (from: number, fields: object) =>
  entry({ id: 'a', version: from }, { id: 'a', version: from + 1, ...fields });

it('[EVT1] applies a patch only to its before.version', () => {
  expect(merge(stateOf(3), patch(3, { title: 'two' })).state.nodes.get('a')).toEqual(whole(4, { title: 'two' }));
  const early = merge(stateOf(3), patch(4, { title: 'two' }));
  expect(early.missing).toEqual(['a']);
  expect(early.state.nodes.get('a')).toEqual(whole(3));
});

it('[EVT1] ignores older versions, and merges fields at an equal version', () => {
  expect(merge(stateOf(5), patch(3, { title: 'old' }))).toEqual({ state: stateOf(5), missing: [] });
  expect(merge(stateOf(4), patch(3, { publicToken: 'p' })).state.nodes.get('a')).toEqual(
    whole(4, { publicToken: 'p' }),
  );
});

it('[EVT1] merges the fields of an earlier step if another slice of the batch arrived first with fewer fields', () => {
  const cut = merge(stateOf(1), patch(1, {}), patch(2, { status: 2 })).state;
  const full = merge(cut, patch(1, { publicToken: 'p' }), patch(2, { status: 2 })).state;
  expect(full.nodes.get('a')).toEqual(whole(3, { status: 2, publicToken: 'p' }));
});

it('[BLK8] applies several steps of one entity', () => {
  const state = merge(stateOf(1), patch(1, { title: 'two' }), patch(2, { status: 3 })).state;
  expect(state.nodes.get('a')).toEqual(whole(3, { title: 'two', status: 3 }));
});

it('[GEN6] accepts Status with a capital', () => {
  expect(merge(stateOf(1), patch(1, { Status: 2 })).state.nodes.get('a')).toEqual(whole(2, { status: 2 }));
});

it('accepts a complete entity over a gap, reports a patch of an unknown entity as missing, and applies a deletion', () => {
  expect(merge(stateOf(1), entry({ id: 'a', version: 6 }, whole(7))).state.nodes.get('a')).toEqual(whole(7));
  expect(merge(emptyGraph, patch(1, { title: 'x' })).missing).toEqual(['a']);
  expect(merge(stateOf(2), entry(whole(2), { id: 'a', deleted: true, shareRoots: [] })).state.nodes.size).toBe(0);
});

it('does not change its input', () => {
  const before = stateOf(1);
  merge(before, patch(1, { title: 'two' }));
  expect(before).toEqual(stateOf(1));
});

it('[EVT2] lists the ids to fetch and to drop', () => {
  const state = stateOf(1);
  const [joined, left] = [
    ['a', 'b'],
    ['a', 'c'],
  ].map((nodes) => ({ nodes, links: ['l'] })) as [Ids, Ids];
  expect(movedIn(state, { joined, left })).toEqual({
    fetch: { nodes: ['b'], links: ['l'] },
    drop: { nodes: ['a'], links: [] },
    reset: false,
  });
  const nothing = { nodes: [], links: [] };
  expect(movedIn(state, {})).toEqual({ fetch: nothing, drop: nothing, reset: false });
  expect(movedIn(state, { reset: true }).reset).toBe(true);
});
