// Due dates in small worlds, derived by hand from the rules.
import { Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { changesSinceDue, dueIn } from './due.ts';
import { addBatch, addGrant, addLink, addNode, ann, bob, cleo, EARLIER, LATER, NOW, world } from './small-world.ts';
import type { ModelNode, ModelState, ModelUser } from './state.ts';

const DUE = '2026-01-01T12:00:00.000Z';
const AFTER = '2026-01-01T18:00:00.000Z';
const ALL = { after: { time: EARLIER, id: '' }, to: { time: NOW, id: '' } };

/** Adds a step of a node to history. Its state is the present one with these fields. */
function step(state: ModelState, node: ModelNode, ts: string, fields: Partial<ModelNode> | null): void {
  const op = fields === null ? Op.NODE_DELETE : Op.NODE_UPDATE;
  const after = fields === null ? null : { ...node, ...fields };
  const id = `b${state.batches.length}`;
  addBatch(state, id, ann, [{ op, kind: 'node', id: node.id, before: node, after, effect: false, part: 0 }], ts);
}

/** A node that has had its date from the begin on. */
function dated(state: ModelState, id: string, owner: ModelUser = ann, more: Partial<ModelNode> = {}): ModelNode {
  const node = addNode(state, id, owner, { dueDate: DUE, ...more });
  step(state, node, EARLIER, {});
  return node;
}

const toldTo = (state: ModelState, user: ModelUser, more: object = {}) =>
  dueIn(state, user, { ...ALL, ...more }, NOW).map(({ id }) => id);

test('[HOOK5] an event has the fields of the node as the user sees it, without its description', () => {
  const state = world();
  addGrant(state, dated(state, 'a', ann, { publicToken: 'token' }), bob, { level: 2 });
  const [own] = dueIn(state, ann, ALL, NOW);
  expect(own).toMatchObject({ type: 'node.due', id: 'a', after: { dueDate: DUE, access: 0, publicToken: 'token' } });
  expect(own?.after).not.toHaveProperty('description');
  const [shared] = dueIn(state, bob, ALL, NOW);
  expect(shared?.after).toMatchObject({ access: 2 });
  expect(shared?.after).not.toHaveProperty('publicToken');
});

test('[HOOK5 HOOK6] the dates of a range come by time and id, without the first position', () => {
  const state = world();
  for (const id of ['c', 'a', 'b']) dated(state, id);
  dated(state, 'early', ann, { dueDate: '2026-01-01T06:00:00.000Z' });
  dated(state, 'ahead', ann, { dueDate: LATER });
  dated(state, 'none', ann, { dueDate: null });
  expect(toldTo(state, ann)).toEqual(['early', 'a', 'b', 'c']);
  expect(toldTo(state, ann, { after: { time: DUE, id: 'a' } })).toEqual(['b', 'c']);
  expect(toldTo(state, ann, { to: { time: DUE, id: 'b' } })).toEqual(['early', 'a', 'b']);
});

test('[HOOK5] a node counts that was active and open with its date when it passed, and is now', () => {
  const state = world();
  step(state, dated(state, 'closed', ann, { status: 3 }), AFTER, {});
  dated(state, 'trashed', ann, { inTrash: true });
  const [set, reopened, restored, edited] = ['set', 'reopened', 'restored', 'edited'].map((id) => dated(state, id)) as [
    ModelNode,
    ModelNode,
    ModelNode,
    ModelNode,
  ];
  step(state, set, DUE, { dueDate: LATER });
  step(state, set, AFTER, { dueDate: DUE });
  step(state, reopened, DUE, { status: 3 });
  step(state, reopened, AFTER, {});
  step(state, restored, DUE, { inTrash: true });
  step(state, restored, AFTER, {});
  step(state, edited, AFTER, { status: 3 });
  step(state, edited, AFTER, {});
  expect(toldTo(state, ann)).toEqual(['edited']);
  expect([edited, set].map((node) => changesSinceDue(state, node))).toEqual([2, 1]);
});

test('[HOOK2 HOOK5] only nodes in the graph of the user, in the branch and with the conditions of the webhook', () => {
  const state = world();
  const root = dated(state, 'root');
  const child = dated(state, 'child', ann, { tags: ['x'] });
  addLink(state, child, root, ann);
  dated(state, 'hidden');
  dated(state, 'own', bob);
  const grant = addGrant(state, root, bob);
  expect(toldTo(state, bob)).toEqual(['child', 'own', 'root']);
  expect(toldTo(state, cleo)).toEqual([]);
  expect(toldTo(state, bob, { root: 'root' })).toEqual(['child', 'root']);
  expect(toldTo(state, bob, { root: 'hidden' })).toEqual([]);
  expect(toldTo(state, bob, { where: { tag: ['x'] } })).toEqual(['child']);
  expect(toldTo(state, bob, { root: 'own', where: { tag: ['x'] } })).toEqual([]);
  grant.showing = false;
  expect(toldTo(state, bob)).toEqual(['own']);
});
