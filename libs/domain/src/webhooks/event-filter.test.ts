import { expect, test } from 'vitest';
import { eventsFor } from './event-filter.ts';
import type { ShownEvent } from './webhook-events.ts';

const batchOf = (...events: ShownEvent[]) => ({
  batchId: 'b',
  actor: { username: 'ann', email: 'ann@example.com' },
  ts: '2026-01-01T00:00:00.000Z',
  events,
});
const shown = (batch: ReturnType<typeof eventsFor>) => batch?.events.map(({ type, id }) => `${type} ${id}`) ?? null;
const all = { filters: [], branch: null, meets: null };

test('[HOOK5] a webhook receives the types of its filter, and no batch without events', () => {
  const batch = batchOf(
    { type: 'node.added', id: 'n' },
    { type: 'link.added', id: 'l' },
    { type: 'access.lost', id: 'r' },
  );
  expect(shown(eventsFor(batch, all))).toHaveLength(3);
  expect(shown(eventsFor(batch, { ...all, filters: ['link.*', 'node.changed'] }))).toEqual(['link.added l']);
  expect(eventsFor(batch, { ...all, filters: ['node.deleted'] })).toBeNull();
});

test('[HOOK2] a branch has its entities, and what leaves it by a link of the batch', () => {
  const gone: ShownEvent = { type: 'link.deleted', id: 'l', before: { source: 'n', target: 'root' }, after: null };
  const batch = batchOf({ type: 'node.deleted', id: 'n' }, gone, { type: 'node.deleted', id: 'other' });
  const branch = { ids: new Set(['root', 'm']), root: 'root', feeds: new Set(['root:above']) };
  expect(shown(eventsFor(batch, { ...all, branch }))).toEqual(['node.deleted n', 'link.deleted l']);
  expect(shown(eventsFor(batchOf({ type: 'node.changed', id: 'm' }), { ...all, branch }))).toEqual(['node.changed m']);
});

test.each([
  [true, true, ['node.changed n']],
  [false, true, ['node.changed n']],
  [true, false, ['node.left n']],
  [false, false, null],
])('[HOOK5] conditions met before: %j and after: %j', (before, after, expected) => {
  const batch = batchOf({ type: 'node.changed', id: 'n', before: {}, after: {} });
  expect(shown(eventsFor(batch, { ...all, meets: () => ({ before, after }) }))).toEqual(expected);
});

test('[HOOK5] events of links, and of nodes that cannot be judged, need no conditions', () => {
  const batch = batchOf({ type: 'node.trashed', id: 'n' }, { type: 'link.trashed', id: 'l' });
  expect(shown(eventsFor(batch, { ...all, meets: () => null }))).toEqual(['node.trashed n', 'link.trashed l']);
});

test('[HOOK2 HOOK5] a gain of access passes each filter of types, and access to the root the branch', () => {
  const [gained, lost] = ['access.gained', 'access.lost'] as const;
  const batch = batchOf({ type: gained, id: 'r', feed: 'root:r' }, { type: lost, id: 'r', feed: 'root:r' });
  expect(shown(eventsFor(batch, { ...all, filters: ['node.completed'] }))).toEqual(['access.gained r']);
  const branch = { ids: new Set<string>(), root: 'root', feeds: new Set(['root:above']) };
  expect(eventsFor(batch, { ...all, branch })).toBeNull();
  const own = batchOf({ type: lost, id: 'root', feed: 'node:root' }, { type: lost, id: 'above', feed: 'root:above' });
  expect(shown(eventsFor(own, { ...all, branch }))).toEqual(['access.lost root', 'access.lost above']);
});
