import { Level } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { allows, feedOfGrant, isCurrent, isOpenTo, levelThrough, propagates, seesLink } from './reader-access.ts';

const bob = { id: 'bob' };
const granted = (levels: Record<string, Level>) => (feed: string) => levels[feed] ?? null;
const node = (...feeds: string[]) => ({ ownerId: 'ann', feeds });

test.each<[what: string, feeds: string[], levels: Record<string, Level>, level: Level | null]>([
  ['nothing', [], {}, null],
  ['a grant on the node', ['node:n'], { 'node:n': Level.EDITOR }, Level.EDITOR],
  ['a branch grant above', ['root:r'], { 'root:r': Level.ADMIN }, Level.ADMIN],
  ['a branch whose grant is not theirs', ['root:r'], {}, null],
  ['several', ['root:r', 'node:n', 'user:bob'], { 'root:r': Level.EDITOR, 'node:n': Level.ADMIN }, Level.ADMIN],
  ['hanging in their own tree', ['user:bob'], {}, Level.VIEWER],
  ["hanging in another's tree", ['user:cy'], {}, null],
])('[ACL1] the level by %s', (_what, feeds, levels, level) => {
  expect(levelThrough(node(...feeds), bob, granted(levels))).toBe(level);
});

test('[ACL1] the owner has level 0, regardless of grants', () => {
  expect(levelThrough(node('node:n'), { id: 'ann' }, granted({ 'node:n': Level.VIEWER }))).toBe(Level.OWNER);
});

test.each([
  ['2026-01-01T23:59:59.999Z', false],
  ['2026-01-02T00:00:00.000Z', false],
  ['2026-01-02T00:00:00.001Z', true],
  [null, true],
])('[ACL5] access until %s is in force: %j', (due, counts) => {
  expect(isCurrent({ due }, '2026-01-02T00:00:00.000Z')).toBe(counts);
});

test('[ACL2] a branch grant opens the branch feed, any other grant the node feed', () => {
  expect(feedOfGrant({ nodeId: 'n', branch: true })).toBe('root:n');
  expect(feedOfGrant({ nodeId: 'n', branch: false })).toBe('node:n');
});

test.each([
  [{}, true],
  [{ inTrash: true }, false],
  [{ private: true }, false],
  [{ conveys: false }, false],
])('[ACL3] a link that is %j propagates: %j', (fields, does) => {
  expect(propagates({ conveys: true, inTrash: false, private: false, ...fields })).toBe(does);
});

test('[ACL1] the lowest number is the highest privilege, and no access allows nothing', () => {
  expect([Level.OWNER, Level.ADMIN, Level.EDITOR, Level.VIEWER].map((level) => allows(level, Level.EDITOR))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(allows(null, Level.VIEWER)).toBe(false);
});

test('[LNK9] only its owner sees a private link', () => {
  expect(isOpenTo({ private: true, ownerId: 'bob' }, bob)).toBe(true);
  expect(isOpenTo({ private: true, ownerId: 'ann' }, bob)).toBe(false);
  expect(isOpenTo({ private: false, ownerId: 'ann' }, bob)).toBe(true);
});

test.each([
  [['a', 'b'], {}, true],
  [['a'], {}, false],
  [['b'], {}, false],
  [['a', 'b'], { private: true }, false],
  [['a', 'b'], { private: true, ownerId: 'bob' }, true],
])('[LNK9] a reader who sees the ends %j sees a link with %j: %j', (seen, fields, does) => {
  const link = { source: 'a', target: 'b', private: false, ownerId: 'ann', ...fields };
  expect(seesLink(link, bob, (end) => (seen.includes(end) ? Level.VIEWER : null))).toBe(does);
});
