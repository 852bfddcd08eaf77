// Small worlds for the tests of the model's reads.
import { NEW_NODE } from './node-fields.ts';
import {
  emptyState,
  type ModelBatch,
  type ModelGrant,
  type ModelLink,
  type ModelNode,
  type ModelOp,
  type ModelState,
  type ModelUser,
} from './state.ts';

export const NOW = '2026-01-02T00:00:00.000Z';
export const EARLIER = '2026-01-01T00:00:00.000Z';
export const LATER = '2026-01-03T00:00:00.000Z';

export function user(name: string): ModelUser {
  return { id: `user-${name}`, username: name, email: `${name}@example.org` };
}

export const ann = user('ann');
export const bob = user('bob');
export const cleo = user('cleo');

export function world(): ModelState {
  return emptyState([ann, bob, cleo]);
}

export function addNode(state: ModelState, id: string, owner: ModelUser, more: Partial<ModelNode> = {}): ModelNode {
  const fields = {
    ...structuredClone(NEW_NODE),
    title: `title of ${id}`,
    createdTime: EARLIER,
    lastEditedTime: EARLIER,
  };
  const node = { ...fields, id, ownerId: owner.id, ...more };
  state.nodes.push(node);
  return node;
}

/** A propagating secondary link. Its id consists of the names of its source and target. */
export function addLink(
  state: ModelState,
  source: ModelNode,
  target: ModelNode,
  owner: ModelUser,
  more: Partial<ModelLink> = {},
): ModelLink {
  const link = {
    id: `${source.id}-${target.id}`,
    source: source.id,
    target: target.id,
    ownerId: owner.id,
    type: 1,
    private: false,
    wasBlocker: false,
    version: 1,
    createdTime: EARLIER,
    lastEditedTime: EARLIER,
    inTrash: false,
    lastBatchID: null,
    mayPropagate: true,
    marked: false,
    trashedBy: null,
    ...more,
  };
  state.links.push(link);
  return link;
}

export function addGrant(
  state: ModelState,
  node: ModelNode,
  to: ModelUser,
  more: Partial<ModelGrant> = {},
): ModelGrant {
  const grant = { nodeId: node.id, email: to.email, level: 3, due: null, branch: true, version: 1 };
  const whole = { ...grant, showing: true, copyOf: null, ...more };
  state.grants.push(whole);
  return whole;
}

export function addBatch(state: ModelState, id: string, actor: ModelUser, ops: ModelOp[], ts = EARLIER): ModelBatch {
  const batch = { id, actor, event: '', ts, ops, skipped: [], undone: false, undoOf: null, redoOf: null };
  state.batches.push(batch);
  return batch;
}

/** A chain of ann's: leaf below middle below root. */
export function chain(state: ModelState) {
  const root = addNode(state, 'root', ann);
  const middle = addNode(state, 'middle', ann);
  const leaf = addNode(state, 'leaf', ann);
  const upper = addLink(state, middle, root, ann);
  const lower = addLink(state, leaf, middle, ann);
  return { root, middle, leaf, upper, lower };
}

export function ids(entities: readonly { readonly id: string }[]): string[] {
  return entities.map((entity) => entity.id);
}
