// Levels, membership and visibility in small worlds, derived by hand from the rules.
import { expect, test } from 'vitest';
import { trashOf } from '../reads.ts';
import { addGrant, addLink, addNode, ann, bob, chain, cleo, EARLIER, ids, NOW, world } from '../small-world.ts';
import {
  branchLevelOf,
  levelOf,
  levelOnRestore,
  mayRestoreLink,
  membershipOf,
  propagates,
  seesLink,
  seesNode,
  shareRootsFor,
} from './access.ts';

test('[ACL1] [ACL2] a branch grant covers all nodes that propagating links connect to its root, a node grant only its node', () => {
  const state = world();
  const { root, middle, leaf } = chain(state);
  addGrant(state, root, bob, { level: 2 });
  addGrant(state, middle, cleo, { level: 1, branch: false });
  expect([root, middle, leaf].map((node) => levelOf(state, bob, node, NOW))).toEqual([2, 2, 2]);
  expect([root, middle, leaf].map((node) => levelOf(state, cleo, node, NOW))).toEqual([null, 1, null]);
  expect(levelOf(state, ann, leaf, NOW)).toBe(0);
});

test('[ACL1] the lowest of several levels counts', () => {
  const state = world();
  const { root, leaf } = chain(state);
  addGrant(state, root, bob, { level: 3 });
  addGrant(state, leaf, bob, { level: 1, branch: false });
  expect(levelOf(state, bob, leaf, NOW)).toBe(1);
  expect(branchLevelOf(state, bob, leaf, NOW)).toBe(3);
});

test('[ACL1] adding a node below a tree shows it to the tree’s owner as a viewer, and not the nodes below it', () => {
  const state = world();
  const { root } = chain(state);
  const guest = addNode(state, 'guest', bob);
  addLink(state, guest, root, bob);
  expect(levelOf(state, ann, guest, NOW)).toBe(3);
  expect(branchLevelOf(state, ann, guest, NOW)).toBe(null);
  expect(levelOf(state, bob, root, NOW)).toBe(null);
  expect(membershipOf(state, guest.id).owners).toEqual(new Set([ann.id, bob.id]));
});

test('[ACL2] non-branch roots are never inherited, and a publication makes a root', () => {
  const state = world();
  const { root, middle, leaf } = chain(state);
  addGrant(state, middle, bob, { branch: false });
  root.publicToken = 'token';
  expect(membershipOf(state, middle.id).roots).toEqual(new Set([middle.id]));
  expect(membershipOf(state, leaf.id).roots).toEqual(new Set());
  root.publicBranch = true;
  expect(membershipOf(state, leaf.id).roots).toEqual(new Set([root.id]));
});

test('[ACL2] [LNK4] membership ends in a cycle of secondary links, and its nodes belong to each root in it', () => {
  const state = world();
  const { root, leaf } = chain(state);
  addLink(state, root, leaf, ann);
  addGrant(state, leaf, bob);
  expect(membershipOf(state, root.id).roots).toEqual(new Set([leaf.id]));
});

test('[ACL2] [ACL5] an expired grant gives no level but leaves a root', () => {
  const state = world();
  const { root, leaf } = chain(state);
  addGrant(state, root, bob, { due: NOW });
  expect(levelOf(state, bob, leaf, NOW)).toBe(null);
  expect(levelOf(state, bob, leaf, EARLIER)).toBe(3);
  expect(membershipOf(state, leaf.id).roots).toEqual(new Set([root.id]));
});

test('[ACL2] share roots: the owner sees all, other readers those whose root node they see', () => {
  const state = world();
  const { root, middle, leaf } = chain(state);
  addGrant(state, root, bob);
  addGrant(state, middle, cleo);
  expect(shareRootsFor(state, ann, leaf.id, NOW)).toEqual([middle.id, root.id]);
  expect(shareRootsFor(state, bob, leaf.id, NOW)).toEqual([middle.id, root.id]);
  expect(shareRootsFor(state, cleo, leaf.id, NOW)).toEqual([middle.id]);
  expect(shareRootsFor(state, cleo, root.id, NOW)).toEqual([]);
});

test('[ACL3] a private, a trashed and an unauthorised link do not propagate, nor does one with a trashed end', () => {
  const state = world();
  const { root, upper, lower } = chain(state);
  expect(propagates(state, lower)).toBe(true);
  expect(propagates(state, { ...lower, private: true })).toBe(false);
  expect(propagates(state, { ...lower, inTrash: true })).toBe(false);
  expect(propagates(state, { ...lower, mayPropagate: false })).toBe(false);
  root.inTrash = true;
  expect(propagates(state, upper)).toBe(false);
});

test('[LNK9] a private link is visible only to its owner, and a link requires both ends', () => {
  const state = world();
  const { root, lower, upper } = chain(state);
  addGrant(state, root, bob, { branch: false });
  expect(seesLink(state, bob, upper, NOW)).toBe(false);
  addGrant(state, root, cleo);
  expect(seesLink(state, cleo, lower, NOW)).toBe(true);
  lower.private = true;
  expect(seesLink(state, cleo, lower, NOW)).toBe(false);
  expect(seesLink(state, ann, lower, NOW)).toBe(true);
});

test('[TRS2] a node in the trash belongs only to what it would belong to after a restore', () => {
  const state = world();
  const { root, leaf, lower, middle } = chain(state);
  addGrant(state, root, bob, { level: 2 });
  addGrant(state, leaf, cleo, { level: 3, branch: false });
  leaf.inTrash = true;
  Object.assign(lower, { inTrash: true, marked: true });
  expect(levelOf(state, bob, leaf, NOW)).toBe(null);
  expect(levelOnRestore(state, bob, leaf, NOW)).toBe(2);
  expect(seesNode(state, ann, leaf, NOW)).toBe(false);
  expect(ids(trashOf(state, bob, NOW).nodes)).toEqual([leaf.id]);
  expect(ids(trashOf(state, cleo, NOW).nodes)).toEqual([]);
  middle.inTrash = true;
  expect(levelOnRestore(state, bob, leaf, NOW)).toBe(null);
});

test('[TRS3] [TRS2] a link that would close a primary cycle or duplicate another is not restored, so it gives no access', () => {
  const state = world();
  const root = addNode(state, 'root', ann);
  const leaf = addNode(state, 'leaf', ann, { inTrash: true });
  const other = addNode(state, 'other', ann);
  addGrant(state, root, bob, { level: 2 });
  addLink(state, other, root, ann, { type: 0, mayPropagate: false });
  addLink(state, leaf, other, ann, { type: 0, inTrash: true, marked: true, id: '2' });
  addLink(state, leaf, root, ann, { type: 0, inTrash: true, marked: true, id: '4' });
  expect(levelOnRestore(state, bob, leaf, NOW)).toBe(2);
  addLink(state, root, leaf, ann, { type: 0, inTrash: true, marked: true, id: '1' });
  expect(levelOnRestore(state, bob, leaf, NOW)).toBe(null);
});

test('[LNK7] the trasher of a link may restore it although it alone showed them an end', () => {
  const state = world();
  const { root } = chain(state);
  const guest = addNode(state, 'guest', bob);
  const link = addLink(state, guest, root, bob, { inTrash: true, trashedBy: ann.id });
  expect(mayRestoreLink(state, ann, link, NOW)).toBe(true);
  expect(mayRestoreLink(state, bob, link, NOW)).toBe(false);
  link.trashedBy = cleo.id;
  expect(mayRestoreLink(state, ann, link, NOW)).toBe(false);
});
