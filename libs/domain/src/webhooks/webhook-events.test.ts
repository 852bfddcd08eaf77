import { Level, Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import type { Disclosure } from '../access/trash-visibility.ts';
import type { StoredChange } from '../state/batch.ts';
import { type EventReader, eventsOfChanges, eventsOfMoves } from './webhook-events.ts';

const reader = (disclosure: Disclosure | null = 'whole', seen: readonly string[] = []): EventReader => ({
  email: 'ann@example.com',
  disclosure: () => disclosure,
  sees: (_kind, id) => seen.includes(id),
});
const named = (nodes: readonly string[], links: readonly string[] = []) => ({
  nodes: new Set(nodes),
  links: new Set(links),
});
const change = (op: Op, before: object | null, after: object | null, kind: StoredChange['kind'] = 'node') =>
  ({ op, kind, id: 'n', before, after }) as StoredChange;
const typesOf = (one: StoredChange) => eventsOfChanges([one], named(['n'], ['n']), reader()).map(({ type }) => type);

test.each([
  [Op.NODE_ADD, 'node', 'node.added'],
  [Op.NODE_UPDATE, 'node', 'node.changed'],
  [Op.NODE_PUBLISH, 'node', 'node.changed'],
  [Op.NODE_TRASH, 'node', 'node.trashed'],
  [Op.NODE_RESTORE, 'node', 'node.restored'],
  [Op.NODE_DELETE, 'node', 'node.deleted'],
  [Op.LINK_ADD, 'link', 'link.added'],
  [Op.LINK_UPDATE, 'link', 'link.changed'],
  [Op.LINK_SWAP, 'link', 'link.changed'],
  [Op.LINK_TRASH, 'link', 'link.trashed'],
  [Op.LINK_RESTORE, 'link', 'link.restored'],
  [Op.LINK_DELETE, 'link', 'link.deleted'],
] as const)('[HOOK5] operation %i of a %s is reported as %s', (op, kind, type) => {
  expect(typesOf(change(op, { version: 1 }, { version: 2 }, kind))).toEqual([type]);
});

test.each([
  [Status.AVAILABLE, Status.COMPLETED, 'node.completed'],
  [Status.BLOCKED, Status.COMPLETED, 'node.completed'],
  [Status.COMPLETED, Status.AVAILABLE, 'node.reopened'],
  [Status.COMPLETED, Status.BLOCKED, 'node.reopened'],
  [Status.AVAILABLE, Status.BLOCKED, 'node.blocked'],
  [Status.BLOCKED, Status.IN_PROGRESS, 'node.unblocked'],
  [Status.AVAILABLE, Status.IN_PROGRESS, 'node.changed'],
])('[HOOK5] the status %i that becomes %i is reported as %s', (was, is, type) => {
  expect(typesOf(change(Op.NODE_STATUS, { status: was }, { status: is }))).toEqual([type]);
});

test('[HOOK2 HOOK5] an event has the changed fields, without internal ones', () => {
  const before = { title: 'a', openBlockers: 0, publicToken: 't', version: 1 };
  const one = change(Op.NODE_UPDATE, before, { ...before, title: 'b', version: 2 });
  expect(eventsOfChanges([one], named(['n']), reader())).toEqual([
    {
      type: 'node.changed',
      id: 'n',
      before: { title: 'a', publicToken: 't', version: 1 },
      after: { title: 'b', publicToken: 't', version: 2 },
    },
  ]);
  const [shown] = eventsOfChanges([one], named(['n']), reader('tokenless'));
  expect(shown?.after).toEqual({ title: 'b', version: 2 });
});

test('[HOOK2 TRS5] a deleted entity has no fields', () => {
  const one = change(Op.NODE_DELETE, { title: 'secret' }, null);
  expect(eventsOfChanges([one], named(['n']), reader('bare'))).toEqual([{ type: 'node.deleted', id: 'n' }]);
});

test('[HOOK2 HOOK7] an entity that its reader does not see is reported once, as left, and another one not at all', () => {
  const changes = [1, 2].map((version) => change(Op.NODE_UPDATE, { version }, { version: version + 1 }));
  expect(eventsOfChanges(changes, named(['n']), reader(null))).toEqual([{ type: 'node.left', id: 'n' }]);
  expect(eventsOfChanges(changes, named([]), reader('whole'))).toEqual([]);
});

test('[HOOK5] what moved without a change has joined if its reader sees it, else left', () => {
  const moves = eventsOfMoves(named(['a', 'b', 'c'], ['l']), new Set(['c']), reader('whole', ['a', 'l']));
  expect(moves.map(({ type, id }) => `${type} ${id}`)).toEqual(['node.joined a', 'node.left b', 'link.joined l']);
});

const grant = (level: Level, more: object = {}) => ({
  nodeId: 'n',
  branch: true,
  level,
  due: null,
  showing: true,
  ...more,
});
const granted = (before: object | null, after: object | null, email = 'ann@example.com') =>
  eventsOfChanges([{ ...change(Op.GRANT_UPSERT, before, after, 'grant'), email }], named(['n']), reader());

test('[HOOK5] grants to the reader are gained, lost, or of another level', () => {
  expect(granted(null, grant(Level.EDITOR))).toEqual([
    { type: 'access.gained', id: 'n', feed: 'root:n', before: null, after: { level: Level.EDITOR, due: null } },
  ]);
  expect(granted(grant(Level.EDITOR), null)).toMatchObject([{ type: 'access.lost', feed: 'root:n', after: null }]);
  expect(granted(grant(Level.EDITOR), grant(Level.VIEWER))).toMatchObject([
    { type: 'access.level', before: { level: Level.EDITOR }, after: { level: Level.VIEWER } },
  ]);
  expect(granted(grant(Level.EDITOR), grant(Level.EDITOR, { due: '2030-01-01T00:00:00.000Z' }))).toEqual([]);
});

test('[HOOK5 ACL6] a hidden grant is lost, and one on the node alone is another feed', () => {
  expect(granted(grant(Level.VIEWER), grant(Level.VIEWER, { showing: false }))).toMatchObject([
    { type: 'access.lost' },
  ]);
  expect(granted(grant(Level.VIEWER), grant(Level.VIEWER, { branch: false }))).toMatchObject([
    { type: 'access.lost', feed: 'root:n' },
    { type: 'access.gained', feed: 'node:n' },
  ]);
});

test('[HOOK2 ACL9] grants to others are not reported', () => {
  expect(granted(null, grant(Level.EDITOR), 'bob@example.com')).toEqual([]);
});
