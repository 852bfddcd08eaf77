// Claims on nodes: their beginning, their end, and the refusals. Rules: CLAIM1 to CLAIM3.

import { availableFrom, type Draft, isInProgress } from '@taskgraph/domain/decision/draft';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Op, Status } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { NO_CLAIM, NODE_FIELDS } from '@taskgraph/wire/node-fields';
import type { DecisionContext } from '../define-command.ts';
import { type Caller, refuseTrashed } from './caller.ts';
import { refuseWhileBlocked } from './status.ts';

type Moment = Pick<DecisionContext, 'now'>;
type ClaimContext = Pick<DecisionContext, 'actor' | 'now' | 'batchId'>;

const MINUTE_MS = 60_000;
const MOST_ASSIGNEES = NODE_FIELDS.assignee.write.most;

/** Whether the node has a claim whose end has not passed. */
function isClaimed({ claimUntil }: NodeState, { now }: Moment): boolean {
  return claimUntil !== null && claimUntil > now;
}

/** Refuses a node that cannot be claimed now (CLAIM1). */
export function refuseUnclaimable(draft: Draft, caller: Caller, node: NodeState, moment: Moment): Refusal | null {
  return refuseTrashed(node) ?? refuseWhileBlocked(draft, caller, node) ?? refuseTaken(node, moment);
}

/** Whether a node of the queue can be claimed now. */
export function isClaimable(node: NodeState, moment: Moment): boolean {
  return !node.inTrash && node.status !== Status.BLOCKED && refuseTaken(node, moment) === null;
}

/** A node in progress can be claimed if its claim has ended, but not if it has none. */
function refuseTaken(node: NodeState, moment: Moment): Refusal | null {
  const { id, status, claimId, claimUntil } = node;
  if (isClaimed(node, moment)) return refuse('conflict.claimed', 'The node is claimed.', { id, until: claimUntil });
  if (status === Status.AVAILABLE || (isInProgress(node) && claimId !== null)) return null;
  return refuse('conflict.not_claimable', 'The node is Completed, or in progress without a claim.', { id });
}

/** Refuses a claim that has ended, or that is not this claim of the caller (CLAIM2). */
export function refuseEndedClaim(node: NodeState, claimId: string, context: ClaimContext): Refusal | null {
  const isOwn = node.claimId === claimId && node.claimerId === context.actor.id;
  return isOwn && isClaimed(node, context) ? null : claimEnded(node);
}

export function claimEnded({ id }: NodeState): Refusal {
  return refuse('conflict.claim_ended', 'The claim has ended, or it is not yours.', { id });
}

/** Refuses an undo or redo that would end the claim of another user (CLAIM3). */
export function refuseClaimOfOther(node: NodeState, { actor, now }: Omit<ClaimContext, 'batchId'>): Refusal | null {
  const { id, claimerId, claimUntil } = node;
  if (!isClaimed(node, { now }) || claimerId === actor.id) return null;
  return refuse('conflict.claimed', 'The node is claimed by another user.', { id, until: claimUntil });
}

/** ISO 8601 UTC with milliseconds. */
export function endOfLease(now: string, minutes: number): string {
  return new Date(Date.parse(now) + minutes * MINUTE_MS).toISOString();
}

/** Begins a claim on a claimable node. The batch identifies it. */
export function beginClaim(draft: Draft, id: string, minutes: number, { actor, now, batchId }: ClaimContext): void {
  // As a side effect, so that undo leaves the node Available.
  draft.asEffect(() => endClaim(draft, id));
  const { assignee } = draft.existingNode(id);
  const isAssigned = assignee.includes(actor.username) || assignee.length >= MOST_ASSIGNEES;
  if (!isAssigned) draft.changeNode(Op.NODE_UPDATE, id, { assignee: [...assignee, actor.username] });
  draft.changeNode(Op.NODE_STATUS, id, {
    status: Status.IN_PROGRESS,
    claimedBy: actor.username,
    claimUntil: endOfLease(now, minutes),
    claimId: batchId,
    claimerId: actor.id,
    claimAssigned: !isAssigned,
  });
}

/** Ends a claim whose end has passed, before something else sets the node InProgress. */
export function endPassedClaim(draft: Draft, id: string, moment: Moment): void {
  if (!isClaimed(draft.existingNode(id), moment)) draft.asEffect(() => endClaim(draft, id));
}

/**
 * Ends a claim, if there is one: the node becomes Available, and loses the assignee whom the claim
 * added. On a Blocked node the status is stored for later (BLK3).
 */
export function endClaim(draft: Draft, id: string): void {
  const node = draft.existingNode(id);
  if (node.claimId === null) return;
  draft.changeNode(Op.NODE_UPDATE, id, assigneesWithoutClaim(node));
  draft.changeNode(Op.NODE_STATUS, id, { ...availableFrom(node), ...NO_CLAIM });
}

/** The assignees without the one whom the node's claim added, if there is one. */
export function assigneesWithoutClaim(node: NodeState): Partial<Pick<NodeState, 'assignee'>> {
  const { claimedBy, claimAssigned, assignee } = node;
  if (claimAssigned !== true) return {};
  return { assignee: assignee.filter((name) => name !== claimedBy) };
}
