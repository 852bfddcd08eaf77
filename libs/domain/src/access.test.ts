import { Level } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { allows, levelOn, seesLink } from './access.ts';
import type { GrantState } from './state.ts';

const node = { id: 'node', ownerId: 'ann' };
const bob = { id: 'bob', email: 'bob@example.com' };
const now = '2026-01-02T00:00:00.000Z';
const grant = (level: Level, fields: Partial<GrantState> = {}): GrantState => ({
  ...{ nodeId: node.id, email: bob.email, level, due: null, branch: false },
  ...fields,
});

test.each<[what: string, grants: GrantState[], level: Level | null]>([
  ['nothing', [], null],
  ['a grant', [grant(Level.EDITOR)], Level.EDITOR],
  ['two grants', [grant(Level.VIEWER), grant(Level.ADMIN), grant(Level.EDITOR)], Level.ADMIN],
  ['a grant on another node', [grant(Level.ADMIN, { nodeId: 'other' })], null],
  ["another's grant", [grant(Level.ADMIN, { email: 'cy@example.com' })], null],
])('[ACL1] the level by %s', (_what, grants, level) => {
  expect(levelOn(node, bob, grants, now)).toBe(level);
});

test('[ACL1] the owner has level 0, whatever they were granted', () => {
  const ann = { id: 'ann', email: 'ann@example.com' };
  expect(levelOn(node, ann, [grant(Level.VIEWER, { email: ann.email })], now)).toBe(Level.OWNER);
});

test.each([
  ['2026-01-01T23:59:59.999Z', null],
  [now, null],
  ['2026-01-02T00:00:00.001Z', Level.EDITOR],
])('[ACL5] a grant until %s gives %j', (due, level) => {
  expect(levelOn(node, bob, [grant(Level.EDITOR, { due })], now)).toBe(level);
});

test('the lowest number is the highest privilege, and no access allows nothing', () => {
  expect([Level.OWNER, Level.ADMIN, Level.EDITOR, Level.VIEWER].map((level) => allows(level, Level.EDITOR))).toEqual([
    ...[true, true, true, false],
  ]);
  expect(allows(null, Level.VIEWER)).toBe(false);
});

test('[LNK9] a private link is shown to its owner alone', () => {
  expect(seesLink({ private: true, ownerId: 'bob' }, bob)).toBe(true);
  expect(seesLink({ private: true, ownerId: 'ann' }, bob)).toBe(false);
  expect(seesLink({ private: false, ownerId: 'ann' }, bob)).toBe(true);
});
