// Adding and updating nodes (NODE, BLK).
import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { addGrant, addLink, addNode, changeNode, type Draft, findNode } from '../draft.ts';
import { NEW_NODE, WRITABLE } from '../node-fields.ts';
import { actorLevel, atLeast, type Command, refuse, staleVersion } from '../refusals.ts';
import { grantsInForce } from '../rules/access.ts';
import { blockersOf, blockersShown, recomputeStatuses } from '../rules/status.ts';
import type { ModelNode } from '../state.ts';
import { claimEnded, endClaim, isInForce, isOwnClaim } from './claim-commands.ts';
import { newLink } from './link-commands.ts';

/** The writable fields that a payload names; `status` has steps of its own (BLK8). */
function fieldsOf(payload: Readonly<Record<string, unknown>>): Partial<ModelNode> {
  const given = WRITABLE.filter((name) => payload[name] !== undefined);
  return structuredClone(Object.fromEntries(given.map((name) => [name, payload[name]])));
}

/** Rules: NODE1, NODE3, NODE4, NODE5, ACL3, BLK4, BLK11, BOT1. */
const nodeAdd: Command = (draft, payload) => {
  if (payload.target === undefined) {
    if (draft.actor.maintainer !== undefined) return refuse('forbidden.target_required');
    addNode(draft, newNode(draft, draft.actor.id, payload));
    return null;
  }
  const parent = findNode(draft.state, payload.target as string);
  if (parent === undefined) return refuse('not_found');
  if (!atLeast(actorLevel(draft, parent), Level.EDITOR)) return refuse('forbidden');
  if (parent.inTrash) return refuse('conflict.target_in_trash');
  const node = newNode(draft, parent.ownerId, payload);
  addNode(draft, node);
  copyOwnGrant(draft, parent.id, node.id);
  const type = parent.independent ? LinkType.SECONDARY : LinkType.PRIMARY;
  const ends = { source: node.id, target: parent.id, type, private: false };
  addLink(draft, newLink(draft, ends, parent.ownerId, true), 'effect');
  recomputeStatuses(draft);
  return null;
};

function newNode(draft: Draft, ownerId: string, payload: Readonly<Record<string, unknown>>): ModelNode {
  const { nodeId: id, now } = draft.moment;
  return {
    ...structuredClone(NEW_NODE),
    ...fieldsOf(payload),
    id,
    ownerId,
    status: (payload.status as number | undefined) ?? Status.AVAILABLE,
    completedTime: payload.status === Status.COMPLETED ? now : null,
    createdTime: now,
    lastEditedTime: now,
  };
}

/**
 * Copies the caller's own grant without branch on the parent to the child. Rules: NODE3.
 *
 * NODE3: an expired grant is not copied, because it gives no access (ACL5).
 */
function copyOwnGrant(draft: Draft, parentId: string, childId: string): void {
  const grant = grantsInForce(draft.state, draft.moment.now).find(
    (one) => one.nodeId === parentId && one.email === draft.actor.email && !one.branch,
  );
  if (grant === undefined) return;
  const { email, level, due } = grant;
  const copy = { nodeId: childId, email, level, due, branch: false, version: 1, showing: true, copyOf: parentId };
  addGrant(draft, copy, 'effect');
}

/**
 * Rules: BLK4, BLK5, BLK7, BLK8, GEN3, GEN9, TRS4.
 *
 * BLK8, BLK5: if the command also ends the node's independence and a blocker takes effect, there is
 * one NODE_STATUS, and the requested status is stored for later (BLK3).
 */
const nodeUpdate: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!atLeast(actorLevel(draft, node), Level.EDITOR)) return refuse('forbidden');
  if (node.inTrash) return refuse('conflict.in_trash');
  if (payload.claim !== undefined && !isOwnClaim(draft, node, payload.claim)) return claimEnded(node);
  if (payload.status !== undefined && node.status === Status.BLOCKED) {
    return refuse('conflict.node_blocked', {
      blockers: blockersShown(draft.state, draft.actor, node.id, draft.moment.now),
    });
  }
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  // CLAIM3: whoever starts a node whose claim has passed works on it without a claim.
  const isStart = payload.status === Status.IN_PROGRESS && payload.claim === undefined;
  if (isStart && !isInForce(node, draft)) endClaim(draft, node, 'effect');
  const fields = fieldsOf(payload);
  // CLAIM3: setting the status Available is like a release.
  if (payload.status === Status.AVAILABLE && node.claimAssigned && payload.assignee === undefined) {
    fields.assignee = node.assignee.filter((name) => name !== node.claimedBy);
  }
  const names = Object.keys(fields) as (keyof ModelNode)[];
  if (names.some((name) => JSON.stringify(fields[name]) !== JSON.stringify(node[name]))) {
    changeNode(draft, Op.NODE_UPDATE, node.id, fields, 'own');
  }
  if (payload.status !== undefined && payload.status !== node.status) {
    const wish = payload.status as number;
    const blocked = blockersOf(draft.state, node.id).length > 0;
    const given = blocked ? { status: Status.BLOCKED, statusBefore: wish } : { status: wish };
    changeNode(draft, Op.NODE_STATUS, node.id, given, 'own');
  }
  recomputeStatuses(draft);
  return null;
};

/** By event. */
export const nodeCommands: Readonly<Record<string, Command>> = {
  'node:add': nodeAdd,
  'node:update': nodeUpdate,
};
