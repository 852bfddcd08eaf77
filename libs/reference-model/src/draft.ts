// A command's working copy of the state, and the steps that it records there.
import { type Op, Op as Ops, Status } from '@taskgraph/wire/codes';
import { copyOf, copyOfState } from './copies.ts';
import type { ModelGrant, ModelLink, ModelMoment, ModelNode, ModelOp, ModelState, ModelUser } from './state.ts';
import { finish } from './state-cache.ts';

/** The state that a command changes: a copy of the whole state, dropped on a refusal. */
export interface Draft {
  readonly state: ModelState;
  readonly actor: ModelUser;
  readonly moment: ModelMoment;
  readonly ops: ModelOp[];
  /** The current operation of a batch, or the current part of an undo (BAT5). */
  readonly part: number;
  /** Ids of links that stayed in the trash (TRS3). */
  readonly skipped: string[];
  /**
   * The states after each operation of a batch or part of an undo, except the last: readers may be
   * sent the content of any of them (BAT4).
   */
  readonly between: ModelState[];
}

/** Whether the command itself set a step, or the step followed from it (HIS2). */
export type Cause = 'own' | 'effect';

/** A draft on a copy of the state. */
export function startDraft(state: ModelState, actor: ModelUser, moment: ModelMoment): Draft {
  return { state: copyOfState(state), actor, moment, ops: [], part: 0, skipped: [], between: [] };
}

/** Records the state between two operations. */
export function recordBetween({ state, between }: Draft): void {
  between.push(finish(copyOfState(state)));
}

export function findNode(state: ModelState, id: string): ModelNode | undefined {
  return state.nodes.find((node) => node.id === id);
}

export function findLink(state: ModelState, id: string): ModelLink | undefined {
  return state.links.find((link) => link.id === id);
}

export function findGrant(state: ModelState, nodeId: string, email: string): ModelGrant | undefined {
  return state.grants.find((grant) => grant.nodeId === nodeId && grant.email === email);
}

/** A new node, version 1. Rules: GEN9. */
export function addNode(draft: Draft, node: ModelNode): void {
  draft.state.nodes.push(node);
  record(draft, Ops.NODE_ADD, 'node', node.id, null, node, 'own');
}

/** A new link, version 1. Rules: GEN9. */
export function addLink(draft: Draft, link: ModelLink, cause: Cause): void {
  draft.state.links.push(link);
  record(draft, Ops.LINK_ADD, 'link', link.id, null, link, cause);
}

/** A grant that did not exist before. The caller gives its version (HIS4). */
export function addGrant(draft: Draft, grant: ModelGrant, cause: Cause): void {
  draft.state.grants.push(grant);
  record(draft, Ops.GRANT_UPSERT, 'grant', grant.nodeId, null, grant, cause);
}

/** A node without a claim. */
export const NO_CLAIM = { claimedBy: null, claimUntil: null, claimId: null, claimerId: null, claimAssigned: null };

/** One version step of a node. Rules: GEN9, BLK11, CLAIM3. */
export function changeNode(draft: Draft, op: Op, id: string, fields: Partial<ModelNode>, cause: Cause): void {
  const node = findNode(draft.state, id)!;
  const { now } = draft.moment;
  const before = copyOf(node);
  Object.assign(node, fields, { version: node.version + 1, lastEditedTime: now });
  // Assignees that were changed during a claim are not the claim's.
  if (before.claimAssigned && JSON.stringify(node.assignee) !== JSON.stringify(before.assignee)) {
    node.claimAssigned = false;
  }
  if (node.status !== Status.COMPLETED) node.completedTime = null;
  else if (before.status !== Status.COMPLETED && fields.completedTime === undefined) node.completedTime = now;
  // A claimed node is Available after the trash.
  if (node.inTrash && node.claimId !== null) {
    if (node.status === Status.BLOCKED) node.statusBefore = Status.AVAILABLE;
    else node.status = Status.AVAILABLE;
  }
  const status = node.status === Status.BLOCKED ? node.statusBefore : node.status;
  if (node.inTrash || status !== Status.IN_PROGRESS) Object.assign(node, NO_CLAIM);
  record(draft, op, 'node', id, before, node, cause);
}

/** One version step of a link. Rules: GEN9. */
export function changeLink(draft: Draft, op: Op, id: string, fields: Partial<ModelLink>, cause: Cause): void {
  const link = findLink(draft.state, id)!;
  const before = copyOf(link);
  Object.assign(link, fields, { version: link.version + 1, lastEditedTime: draft.moment.now });
  record(draft, op, 'link', id, before, link, cause);
}

/** One version step of a grant. Rules: GEN9. */
export function changeGrant(draft: Draft, op: Op, grant: ModelGrant, fields: Partial<ModelGrant>, cause: Cause): void {
  const before = copyOf(grant);
  Object.assign(grant, fields, { version: grant.version + 1 });
  record(draft, op, 'grant', grant.nodeId, before, grant, cause);
}

/** Deletes a node permanently. */
export function removeNode(draft: Draft, node: ModelNode): void {
  draft.state.nodes.splice(draft.state.nodes.indexOf(node), 1);
  record(draft, Ops.NODE_DELETE, 'node', node.id, node, null, 'own');
}

/** Deletes a link permanently. */
export function removeLink(draft: Draft, link: ModelLink, cause: Cause): void {
  draft.state.links.splice(draft.state.links.indexOf(link), 1);
  record(draft, Ops.LINK_DELETE, 'link', link.id, link, null, cause);
}

export function removeGrant(draft: Draft, grant: ModelGrant, cause: Cause): void {
  draft.state.grants.splice(draft.state.grants.indexOf(grant), 1);
  record(draft, Ops.GRANT_DELETE, 'grant', grant.nodeId, grant, null, cause);
}

function record(
  draft: Draft,
  op: Op,
  kind: ModelOp['kind'],
  id: string,
  before: ModelOp['before'],
  after: ModelOp['after'],
  cause: Cause,
): void {
  const effect = cause === 'effect';
  const { part } = draft;
  draft.ops.push({ op, kind, id, before: before && copyOf(before), after: after && copyOf(after), effect, part });
}
