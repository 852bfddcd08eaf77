import { expect, test } from 'vitest';
import type { Entity } from '../merge-diff.ts';
import { optimisticPatches } from './optimistic-patches.ts';

const node = { id: 'a', version: 1, dueDate: null } as Entity;
const noLinks = { linksOn: () => [] };
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
