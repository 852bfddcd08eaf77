// Answers of the reads in small worlds, derived by hand from the rules.
import { expect, test } from 'vitest';
import { branchOf, grantsOn, graphOf, trashOf } from './reads.ts';
import { feedMembers, feedsOf } from './rules/feeds.ts';
import { addGrant, addLink, addNode, ann, bob, chain, cleo, ids, LATER, NOW, world } from './small-world.ts';

test('[ACL6] a hidden grant leaves graph and feeds, but keeps its level', () => {
  const state = world();
  const { root, leaf } = chain(state);
  const grant = addGrant(state, root, bob, { level: 1, showing: false });
  expect(graphOf(state, bob, NOW).nodes).toEqual([]);
  expect(feedsOf(state, bob, NOW)).toEqual([{ feed: 'user:user-bob', level: 0 }]);
  addGrant(state, leaf, bob, { branch: false });
  const graph = graphOf(state, bob, NOW);
  expect(graph.nodes.map((node) => [node.id, node.access])).toEqual([[leaf.id, 1]]);
  grant.showing = true;
  expect(graphOf(state, bob, NOW).nodes).toHaveLength(3);
  expect(graphOf(state, bob, NOW).links).toHaveLength(2);
  expect(feedsOf(state, bob, NOW).map(({ feed }) => feed)).toEqual(['user:user-bob', 'node:leaf', 'root:root']);
});

test('[ACL9] admins see tokens and grants, and a grantee their own grant', () => {
  const state = world();
  const root = addNode(state, 'root', ann, { publicToken: 'token', publicBranch: true });
  addGrant(state, root, bob, { level: 1 });
  addGrant(state, root, cleo);
  expect(graphOf(state, bob, NOW).nodes[0]).toMatchObject({ publicToken: 'token', shareRoots: ['root'] });
  expect(graphOf(state, cleo, NOW).nodes[0]).not.toHaveProperty('publicToken');
  expect(grantsOn(state, bob, 'root', NOW)).toMatchObject({ grants: [{ email: bob.email }, { email: cleo.email }] });
  expect(grantsOn(state, cleo, 'root', NOW)).toEqual({
    grants: [{ id: 'root', email: cleo.email, level: 3, due: null, branch: true, version: 1 }],
  });
});

test('[GEN7] grants and branches of an invisible node are forbidden, of a missing node not found', () => {
  const state = world();
  addNode(state, 'root', ann);
  expect(grantsOn(state, bob, 'root', NOW)).toEqual({ error: 'forbidden' });
  expect(branchOf(state, bob, 'root', NOW)).toEqual({ error: 'forbidden' });
  expect(grantsOn(state, bob, 'none', NOW)).toEqual({ error: 'not_found' });
  expect(branchOf(state, bob, 'none', NOW)).toEqual({ error: 'not_found' });
});

test('[PUB3] [PUB4] a token opens its branch or its node, stripped; not by node id, and not when expired or trashed', () => {
  const state = world();
  const { root, upper } = chain(state);
  Object.assign(root, { publicToken: 'token', publicBranch: true, publicDue: LATER });
  addGrant(state, root, bob);
  addLink(state, root, addNode(state, 'above', bob), ann);
  upper.private = true;
  state.nodes[1]!.publicToken = 'other';
  const shown = branchOf(state, null, 'token', NOW);
  expect(shown).toMatchObject({ nodes: [{ id: 'root', access: 3, shareRoots: ['root'], publicToken: 'token' }] });
  upper.private = false;
  const whole = branchOf(state, null, 'token', NOW);
  if ('error' in whole) throw new Error(whole.error);
  expect(ids(whole.nodes)).toEqual(['leaf', 'middle', 'root']);
  for (const field of ['ownerEmail', 'ownerUsername', 'assignee', 'lastBatchID']) {
    expect(whole.nodes[0]).not.toHaveProperty(field);
  }
  expect(whole.nodes[1]).not.toHaveProperty('publicToken');
  root.publicBranch = false;
  expect(branchOf(state, null, 'token', NOW)).toMatchObject({ nodes: [{ id: 'root' }], links: [] });
  const missing = { error: 'not_found' };
  expect(branchOf(state, null, 'root', NOW)).toEqual(missing);
  expect(branchOf(state, null, 'token', LATER)).toEqual(missing);
  root.inTrash = true;
  expect(branchOf(state, null, 'token', NOW)).toEqual(missing);
});

test('[TRS2] [EVT3] the trash is newest first and contains links that the caller may restore', () => {
  const state = world();
  const root = addNode(state, 'root', ann);
  addNode(state, 'older', ann, { inTrash: true });
  addNode(state, 'newer', ann, { inTrash: true, lastEditedTime: NOW });
  const link = addLink(state, addNode(state, 'leaf', ann), root, ann, { inTrash: true });
  addGrant(state, root, bob, { level: 2 });
  expect(ids(trashOf(state, ann, NOW).nodes)).toEqual(['newer', 'older']);
  expect(ids(trashOf(state, ann, NOW).links)).toEqual([link.id]);
  expect(trashOf(state, bob, NOW)).toEqual({ nodes: [], links: [] });
});

test('[EVT1] [ACL1] [ACL2] [LNK9] the content of the feeds of a user, a branch and a node', () => {
  const state = world();
  const { root, lower } = chain(state);
  const guest = addNode(state, 'guest', bob);
  addLink(state, guest, root, bob, { private: false });
  addGrant(state, root, cleo);
  lower.private = true;
  expect(feedMembers(state, 'user:user-ann')).toEqual({
    nodes: ['guest', 'leaf', 'middle', 'root'],
    links: ['guest-root', 'leaf-middle', 'middle-root'],
  });
  expect(feedMembers(state, 'root:root')).toEqual({
    nodes: ['guest', 'middle', 'root'],
    links: ['guest-root', 'middle-root'],
  });
  expect(feedMembers(state, 'node:root')).toEqual({ nodes: ['root'], links: [] });
  expect(feedMembers(state, 'root:middle')).toEqual({ nodes: [], links: [] });
});
