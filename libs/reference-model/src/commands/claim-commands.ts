// Claims (CLAIM): their beginning, renewal and end, and the answer of a claim.
import { Level, Op, Status } from '@taskgraph/wire/codes';
import type { View } from '../diff.ts';
import { changeNode, type Draft, findNode, NO_CLAIM } from '../draft.ts';
import { isInGraph } from '../reads.ts';
import { actorLevel, atLeast, type Command, type Refusal, refuse, staleVersion } from '../refusals.ts';
import { shownNode, signedIn } from '../rules/reader-view.ts';
import { blockersShown } from '../rules/status.ts';
import type { ModelCommand, ModelNode, ModelOp } from '../state.ts';

const MINUTE_MS = 60_000;
const USUAL_LEASE = 30;

/** Rules: CLAIM1 (a claim counts until its end, by the time of the command). */
export function isInForce({ claimUntil }: ModelNode, { moment }: Draft): boolean {
  return claimUntil !== null && moment.now < claimUntil;
}

/** Rules: CLAIM2. */
export function isOwnClaim(draft: Draft, node: ModelNode, claimId: unknown): boolean {
  return node.claimId === claimId && node.claimerId === draft.actor.id && isInForce(node, draft);
}

export function claimEnded({ id }: ModelNode): Refusal {
  return refuse('conflict.claim_ended', { id });
}

/** Rules: CLAIM3 (undo and redo end only own claims). */
export function refuseClaimOfOther(draft: Draft, node: ModelNode): Refusal | null {
  if (!isInForce(node, draft) || node.claimerId === draft.actor.id) return null;
  return refuse('conflict.claimed', { id: node.id, until: node.claimUntil });
}

/** Rules: CLAIM1, BLK4, TRS4. */
function refuseClaim(draft: Draft, node: ModelNode): Refusal | null {
  if (node.inTrash) return refuse('conflict.in_trash');
  if (node.status === Status.BLOCKED) {
    const blockers = blockersShown(draft.state, draft.actor, node.id, draft.moment.now);
    return refuse('conflict.node_blocked', { blockers });
  }
  if (isInForce(node, draft)) return refuse('conflict.claimed', { id: node.id, until: node.claimUntil });
  const isFree = node.status === Status.AVAILABLE || node.claimId !== null;
  return isFree ? null : refuse('conflict.not_claimable', { id: node.id });
}

/**
 * Rules: CLAIM1, CLAIM2.
 *
 * CLAIM1: without an id, the service chooses among the nodes that may be claimed; if there is one,
 * it takes one.
 */
const nodeClaim: Command = (draft, payload) => {
  const node = payload.id === undefined ? chosenNode(draft) : findNode(draft.state, payload.id as string);
  if (node === undefined) return payload.id === undefined ? null : refuse('not_found');
  if (!atLeast(actorLevel(draft, node), Level.EDITOR)) return refuse('forbidden');
  const refusal = refuseClaim(draft, node);
  if (refusal !== null) return refusal;
  endClaim(draft, node, 'effect');
  const { username, id } = draft.actor;
  const claimAssigned = !node.assignee.includes(username) && node.assignee.length < 64;
  if (claimAssigned) changeNode(draft, Op.NODE_UPDATE, node.id, { assignee: [...node.assignee, username] }, 'own');
  const { batchId } = draft.moment;
  const claim = { claimedBy: username, claimUntil: leaseEnd(draft, payload), claimId: batchId, claimerId: id };
  changeNode(draft, Op.NODE_STATUS, node.id, { status: Status.IN_PROGRESS, ...claim, claimAssigned }, 'own');
  return null;
};

function chosenNode(draft: Draft): ModelNode | undefined {
  const { state, moment } = draft;
  if (typeof moment.claimed === 'string') return findNode(state, moment.claimed);
  return state.nodes.find(
    (node) =>
      isInGraph(state, draft.actor, node, moment.now) &&
      atLeast(actorLevel(draft, node), Level.EDITOR) &&
      refuseClaim(draft, node) === null,
  );
}

function leaseEnd({ moment }: Draft, { lease = USUAL_LEASE }: Readonly<Record<string, unknown>>): string {
  return new Date(Date.parse(moment.now) + (lease as number) * MINUTE_MS).toISOString();
}

/** Rules: CLAIM3, BLK3. */
export function endClaim(draft: Draft, node: ModelNode, cause: 'own' | 'effect'): void {
  if (node.claimId === null) return;
  const { claimedBy, claimAssigned } = node;
  const assignee = node.assignee.filter((name) => name !== claimedBy);
  if (claimAssigned && assignee.length < node.assignee.length) {
    changeNode(draft, Op.NODE_UPDATE, node.id, { assignee }, cause);
  }
  const free = node.status === Status.BLOCKED ? { statusBefore: Status.AVAILABLE } : { status: Status.AVAILABLE };
  changeNode(draft, Op.NODE_STATUS, node.id, { ...free, ...NO_CLAIM }, cause);
}

/** Rules: CLAIM2, CLAIM3. */
const nodeClaimRenew: Command = (draft, payload) => {
  const node = editableNode(draft, payload);
  if ('ok' in node) return node;
  if (!isOwnClaim(draft, node, payload.claimId)) return claimEnded(node);
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  const claimUntil = leaseEnd(draft, payload);
  if (claimUntil !== node.claimUntil) changeNode(draft, Op.NODE_UPDATE, node.id, { claimUntil }, 'own');
  return null;
};

/** Rules: CLAIM2, CLAIM3. */
const nodeClaimRelease: Command = (draft, payload) => {
  const node = editableNode(draft, payload);
  if ('ok' in node) return node;
  if (payload.claimId !== undefined && payload.claimId !== node.claimId) return claimEnded(node);
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  endClaim(draft, node, 'own');
  return null;
};

function editableNode(draft: Draft, payload: Readonly<Record<string, unknown>>): ModelNode | Refusal {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!atLeast(actorLevel(draft, node), Level.EDITOR)) return refuse('forbidden');
  return node.inTrash ? refuse('conflict.in_trash') : node;
}

/** The system ends a claim whose end has passed. Rules: CLAIM3, GEN9. */
const nodeClaimExpire: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!isInForce(node, draft)) endClaim(draft, node, 'own');
  return null;
};

/** By event. A batch cannot contain them (CLAIM4). */
export const claimCommands: Readonly<Record<string, Command>> = {
  'node:claim': nodeClaim,
  'node:claim:renew': nodeClaimRenew,
  'node:claim:release': nodeClaimRelease,
  'node:claim:expire': nodeClaimExpire,
};

/**
 * The node of a claim as its caller sees it, and the id of the claim. `ops` are those that the caller
 * sees. Rules: CLAIM1, CLAIM4.
 */
export function claimAnswer(
  view: View | null,
  { event }: ModelCommand,
  ops: readonly ModelOp[],
): { node?: object | null; claimId?: string | null } {
  if (event !== 'node:claim') return {};
  const claim = ops.findLast((op) => op.kind === 'node' && (op.after as ModelNode | null)?.claimId);
  if (view === null || claim === undefined) return { node: null, claimId: null };
  const node = findNode(view.after, claim.id);
  return {
    node: node === undefined || node.inTrash ? null : shownNode(view.after, signedIn(view.user), node, view.now),
    claimId: (claim.after as ModelNode).claimId,
  };
}
