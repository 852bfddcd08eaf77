// The inverse of each kind of step, as a step of the new batch (HIS2, HIS4).

import { Op, Status } from '@taskgraph/wire/codes';
import {
  addGrant,
  changeGrant,
  changeNode,
  type Draft,
  findGrant,
  findLink,
  findNode,
  NO_CLAIM,
  removeGrant,
} from '../draft.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { lasts } from '../rules/access.ts';
import { followOriginal } from '../rules/grant-rules.ts';
import { bringLinkBack, judgedOnReturn, trashLink, wasBlockerAs } from '../rules/link-rules.ts';
import { blockersOf } from '../rules/status.ts';
import type { ModelGrant, ModelLink, ModelNode, ModelOp, ModelState } from '../state.ts';
import { refuseClaimOfOther } from './claim-commands.ts';
import { setLink, swapLink } from './link-commands.ts';
import { restoreNode, trashNode } from './trash-commands.ts';
import { statusByHand } from './undo-conflicts.ts';

/**
 * Reverts a step of the command itself, unless it is reverted already. Rules: HIS2, HIS4, TRS4,
 * LNK4.
 */
export function revertStep(draft: Draft, op: ModelOp): Refusal | null {
  if (isReverted(draft.state, op)) return null;
  if (op.kind === 'node') return revertNode(draft, op);
  return op.kind === 'link' ? revertLink(draft, op) : revertGrant(draft, op);
}

/** Whether the state before a step is restored, so that nothing remains to revert. Rules: HIS10. */
export function isReverted(state: ModelState, op: ModelOp): boolean {
  if (op.kind === 'grant') {
    const present = findGrant(state, op.id, ((op.after ?? op.before) as ModelGrant).email);
    // The terms of a missing grant are restored with the step that created or ended it.
    if (present === undefined) return op.before === null || op.after !== null;
    if (op.before === null) return false;
    const { level, due, branch } = op.before as ModelGrant;
    const after = op.after as ModelGrant | null;
    const terms = Object.entries({ level, due, branch });
    const moved = Object.fromEntries(terms.filter(([term, value]) => after?.[term as 'due'] !== value));
    return hasAll(present, moved);
  }
  const present = (op.kind === 'node' ? findNode(state, op.id) : findLink(state, op.id))!;
  if (op.op === Op.NODE_ADD || op.op === Op.NODE_RESTORE) return present.inTrash;
  if (op.op === Op.NODE_TRASH || op.op === Op.LINK_TRASH) return !present.inTrash;
  if (op.op === Op.LINK_ADD || op.op === Op.LINK_RESTORE) return false;
  if (op.op === Op.NODE_STATUS) return statusByHand({ ...present }) === statusWished(op);
  const fields = changedBack(op.before as ModelNode, op.after as ModelNode);
  const form = op.kind === 'link' ? formOf(fields as Partial<ModelLink>) : fields;
  return hasAll(present, form);
}

function hasAll(present: object, fields: object): boolean {
  const now: Readonly<Record<string, unknown>> = { ...present };
  return Object.entries(fields).every(([name, value]) => JSON.stringify(now[name]) === JSON.stringify(value));
}

function revertNode(draft: Draft, op: ModelOp): Refusal | null {
  const node = findNode(draft.state, op.id)!;
  const claim = refuseClaimOfOther(draft, node);
  if (op.op === Op.NODE_ADD || op.op === Op.NODE_RESTORE) {
    if (claim !== null) return claim;
    trashNode(draft, op.id);
    return null;
  }
  if (op.op === Op.NODE_TRASH) {
    restoreNode(draft, op.id);
    return null;
  }
  const before = op.before as ModelNode;
  const takesAway = op.op === Op.NODE_PUBLISH && before.publicToken === null;
  if (node.inTrash && !takesAway) return refuse('conflict.in_trash');
  if (op.op === Op.NODE_STATUS && claim !== null) return claim;
  const fields = changedBack(before, op.after as ModelNode);
  changeNode(draft, op.op, op.id, op.op === Op.NODE_STATUS ? statusBack(draft, op) : fields, 'own');
  return null;
}

/**
 * Rules: HIS2, BLK3, BLK11.
 *
 * HIS2, BLK4: on a Blocked node the user's status goes behind the derived one and is stored for
 * later. BLK11: a node that was Completed gets its time back.
 */
function statusBack(draft: Draft, op: ModelOp): Partial<ModelNode> {
  const { status, completedTime } = op.before as ModelNode;
  const wish = statusWished(op);
  if (blockersOf(draft.state, op.id).length > 0) return { status: Status.BLOCKED, statusBefore: wish };
  const time = status === Status.COMPLETED ? { completedTime } : {};
  return { status: wish, statusBefore: null, ...time };
}

/** Rules: CLAIM3 (a node that was claimed is Available after an undo, because its claim stays ended). */
function statusWished(op: ModelOp): number {
  const [before, after] = [op.before as ModelNode, op.after as ModelNode];
  const hadClaim = before.claimId !== null && before.claimId !== after.claimId;
  return hadClaim ? Status.AVAILABLE : (statusByHand({ ...before }) as number);
}

/** The fields of a step with their earlier values, without those that every step changes. */
function changedBack<Entity extends object>(before: Entity, after: Entity): Partial<Entity> {
  // Claims are never restored (CLAIM3).
  const left = ['version', 'lastEditedTime', 'statusBefore', ...Object.keys(NO_CLAIM)];
  const names = Object.keys(after) as (keyof Entity & string)[];
  const changed = names.filter(
    (name) => !left.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const fields: Partial<Entity> = {};
  for (const name of changed) fields[name] = structuredClone(before[name]);
  return fields;
}

/**
 * Rules: HIS2, LNK3, LNK8, LNK10, BLK9, ACL3 (undoing a swap is a swap).
 *
 * HIS2, LNK3: undoing a swap or an update is one too, so type and privacy are corrected for the
 * user who undoes it.
 */
function revertLink(draft: Draft, op: ModelOp): Refusal | null {
  const link = findLink(draft.state, op.id)!;
  // A later operation of the same batch trashed it, and reverting that operation did not restore
  // it.
  if (link.inTrash && (op.op === Op.LINK_ADD || op.op === Op.LINK_RESTORE)) {
    if (link.marked) Object.assign(link, { marked: false, unmarkedTime: draft.moment.now });
    return null;
  }
  if (op.op === Op.LINK_ADD) {
    trashLink(draft, link, {});
    return null;
  }
  const before = op.before as ModelLink;
  if (op.op === Op.LINK_RESTORE) {
    // Only the fields that the restore changed are reverted; later changes by others stay.
    const former = { ...link, ...formOf(changedBack(before, op.after as ModelLink)) };
    // A link that was restored in the other direction did not propagate in this one (ACL3).
    const mayPropagate = link.mayPropagate && link.source === former.source;
    const wasBlocker = wasBlockerAs(former.type, link.wasBlocker);
    trashLink(draft, link, { ...formOf(former), mayPropagate, wasBlocker });
    putWasBlocker(draft, before);
    return null;
  }
  if (op.op === Op.LINK_TRASH) {
    // As above: after a redo of the batch it may differ from its form before the step.
    const {
      source,
      target,
      type,
      private: isPrivate,
    } = { ...link, ...formOf(changedBack(before, op.after as ModelLink)) };
    const judged = judgedOnReturn(draft, link, { source, target, type, private: isPrivate });
    const refusal = bringLinkBack(draft, link, judged);
    if (refusal === null) putWasBlocker(draft, before);
    return refusal;
  }
  if (link.inTrash) return refuse('conflict.in_trash');
  const after = op.after as ModelLink;
  const { type, private: isPrivate } = before;
  const asked = {
    ...(type !== after.type && { type }),
    // Only its owner corrects the form of a swapped link.
    ...(isPrivate !== after.private &&
      (op.op !== Op.LINK_SWAP || link.ownerId === draft.actor.id) && { private: isPrivate }),
  };
  const swaps = op.op === Op.LINK_SWAP && link.source !== before.source;
  const refusal = swaps ? swapLink(draft, link, { ...link, ...asked }) : setLink(draft, link, asked);
  if (refusal === null) putWasBlocker(draft, before);
  return refusal;
}

/** The kind of a link between its ends. */
function formOf(link: Partial<ModelLink>): Partial<Pick<ModelLink, 'source' | 'target' | 'type' | 'private'>> {
  const { source, target, type, private: isPrivate } = link;
  const given = Object.entries({ source, target, type, private: isPrivate }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/**
 * Restores `wasBlocker` on a link that is primary again, if becoming secondary had cleared it.
 * Rules: BLK9, HIS2.
 */
function putWasBlocker(draft: Draft, before: ModelLink): void {
  const link = findLink(draft.state, before.id)!;
  if (!before.wasBlocker || link.type !== before.type) return;
  const op = draft.ops.findLast((one) => one.part === draft.part && one.kind === 'link' && one.id === before.id);
  if (op === undefined) return;
  link.wasBlocker = true;
  (op.after as ModelLink).wasBlocker = true;
}

/**
 * Rules: HIS4, ACL4, NODE3.
 *
 * NODE3: a copy that a user changed does not follow its original again when that change is undone.
 */
function revertGrant(draft: Draft, op: ModelOp): Refusal | null {
  const { email } = (op.after ?? op.before) as ModelGrant;
  const present = findGrant(draft.state, op.id, email);
  if (op.before !== null && findNode(draft.state, op.id)!.inTrash) return refuse('conflict.in_trash');
  if (op.before === null) {
    removeGrant(draft, present!, 'own');
  } else if (present === undefined) {
    const { before } = op;
    addGrant(draft, { ...(before as ModelGrant), version: before.version + 1, copyOf: null }, 'own');
  } else {
    // Later changes by others stay.
    const { level, due, branch } = { ...present, ...changedBack(op.before as ModelGrant, op.after as ModelGrant) };
    changeGrant(draft, Op.GRANT_UPDATE, present, { level, due, branch, copyOf: null }, 'own');
  }
  followOriginal(draft, op.id, email);
  return null;
}

/**
 * Restores the copies that ended in the same batch as their original, if the original exists again.
 * Rules: HIS2 (the inverse patches of the whole batch), NODE3.
 */
export function restoreCopies(draft: Draft, ops: readonly ModelOp[]): void {
  for (const op of ops) {
    if (!op.effect || op.op !== Op.GRANT_DELETE) continue;
    const ended = op.before as ModelGrant;
    const original = ended.copyOf === null ? undefined : findGrant(draft.state, ended.copyOf, ended.email);
    const isFree = findNode(draft.state, op.id) !== undefined && !findGrant(draft.state, op.id, ended.email);
    if (original === undefined || original.branch || !isFree || !lasts(original.due, draft.moment.now)) continue;
    const { level, due } = original;
    addGrant(draft, { ...ended, level, due, version: ended.version + 1 }, 'effect');
  }
}
