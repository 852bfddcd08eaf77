// The fields of a node while a command on it waits for the service.
import { expect, test } from 'vitest';
import type { Entity } from '../merge-diff.ts';
import { optimisticPatches } from './optimistic-patches.ts';

const completed = { id: 'a', version: 1, title: 'old', status: 3, completedTime: '2026-01-01T00:00:00.000Z' };
const open = { ...completed, status: 0, completedTime: null };
const noLinks = { linksOn: () => [] };

test.each([
  ['a reopened node has no time of completion', completed, { status: 1 }, { status: 1, completedTime: null }],
  ['the time of a node that stays Completed does not change', completed, { status: 3 }, {}],
  ['another field leaves the time', completed, { title: 'new' }, { title: 'new' }],
  ['only the service knows the time of a completion', open, { status: 3 }, { status: 3 }],
])('[BLK11] %s', (_what, node, fields, changed) => {
  const [patch] = optimisticPatches('node:update', { id: 'a', ...fields }, 'key', noLinks);
  expect(patch?.apply(node)).toEqual({ ...node, ...changed });
});

test('[BLK11] a new node has no time of completion until the service answers', () => {
  const [patch] = optimisticPatches('node:add', { title: 'new', status: 3 }, 'key', noLinks);
  expect(patch?.apply(undefined)).toMatchObject({ status: 3, completedTime: null });
});

const node = { id: 'a', version: 1, dueDate: null } as Entity;
const dueAfter = (event: string, dueDate: unknown) =>
  optimisticPatches(event, { id: 'a', dueDate }, 'key', noLinks)[0]?.apply(event === 'node:add' ? undefined : node)
    ?.dueDate;

test.each([
  ['2026-12-24', '2026-12-24T23:59:59.000Z'],
  ['2026-12-24T18:00+02:00', '2026-12-24T16:00:00.000Z'],
  [null, null],
  // The service refuses it.
  ['tomorrow', 'tomorrow'],
])('[GEN2] a pending due date %j shows as the service stores it: %j', (given, shown) => {
  expect([dueAfter('node:add', given), dueAfter('node:update', given)]).toEqual([shown, shown]);
});

test('[BAT1] a pending batch shows the changes of its operations, except for what it creates', () => {
  const operations = [
    { event: 'node:update', payload: { id: 'a', version: 1, title: 'new' } },
    { event: 'node:add', payload: { title: 'created' }, as: 'n1' },
    { event: 'node:trash', payload: { id: 'b' } },
    { event: 'link:trash', payload: { id: 'c' } },
    { event: 'node:restore', payload: { id: 'd' } },
    null,
  ];
  const patches = optimisticPatches('batch:run', { operations }, 'key', { linksOn: (id) => [`link on ${id}`] });
  expect(patches.map(({ kind, id, apply }) => [kind, id, apply(open as Entity)])).toEqual([
    ['nodes', 'a', { ...open, title: 'new' }],
    ['nodes', 'b', undefined],
    ['links', 'link on b', undefined],
    ['links', 'c', undefined],
  ]);
});

test.each([
  ['a claimed node is in progress', 'node:claim', {}, { status: 1 }],
  ['a released node is available', 'node:claim:release', {}, { status: 0, claimedBy: null, claimUntil: null }],
  ['the claim of an update is no field', 'node:update', { claim: 'b', title: 'new' }, { title: 'new' }],
])('[CLAIM1] %s', (_what, event, fields, changed) => {
  const [patch] = optimisticPatches(event, { id: 'a', ...fields }, 'key', noLinks);
  expect(patch?.apply(open)).toEqual({ ...open, ...changed });
});

test('[CLAIM1] only the service knows which node a claim without an id takes', () => {
  expect(optimisticPatches('node:claim', { lease: 5 }, 'key', noLinks)).toEqual([]);
});
