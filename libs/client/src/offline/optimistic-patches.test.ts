// The fields of a node while a command on it waits for the service.
import { expect, test } from 'vitest';
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
