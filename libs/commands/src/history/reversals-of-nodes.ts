// The reversal of a change of a node. Rules: HIS2 to HIS4, BLK3, BLK11, TRS3, PUB1.
import { mustBeBlocked } from '@taskgraph/domain/decision/status-cascade';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Level, Op, Status } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { PUBLICATION_FIELDS, type PublicationField } from '@taskgraph/wire/node-fields';
import { refuseBelow, refuseSharing, refuseTrashed } from '../rules/caller.ts';
import { callerIfRestored } from '../rules/caller-visibility.ts';
import { refuseClaimOfOther } from '../rules/claims.ts';
import { restoreNode, trashNode } from '../rules/trash.ts';
import { CONTENT, isSame, type Patch, statusByHand } from './fields.ts';
import {
  impossibleReversal,
  type Reversal,
  type RevertContext,
  refuseExpired,
  refuseIrreversible,
  sidesOf,
  unlessInPlace,
} from './reversal.ts';

export function nodeReversal(revert: RevertContext, change: StoredChange): Reversal {
  const node = revert.draft.node(change.id);
  if (node === null || change.op === Op.NODE_DELETE) return impossibleReversal(refuseIrreversible(change));
  const { expected, wanted } = sidesOf(revert, change);
  if (wanted === null || wanted.inTrash === true) return reversalByTrash(revert, node);
  if (expected === null || expected.inTrash === true) return reversalByRestore(revert, node);
  if (change.op === Op.NODE_PUBLISH) return reversalByPublication(revert, node, { expected, wanted });
  return change.op === Op.NODE_STATUS ? reversalByStatus(revert, node, wanted) : reversalByUpdate(revert, node, wanted);
}

interface Sides {
  readonly expected: Patch;
  readonly wanted: Patch;
}

function reversalByTrash({ draft, caller, context }: RevertContext, node: NodeState): Reversal {
  return unlessInPlace(node.inTrash, {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    problem: refuseClaimOfOther(node, context),
    apply: () => {
      trashNode(draft, node.id, context);
      return null;
    },
    skipped: () => [],
  });
}

function reversalByRestore({ draft, caller }: RevertContext, node: NodeState): Reversal {
  const skipped: string[] = [];
  return unlessInPlace(!node.inTrash, {
    forbids: refuseBelow(callerIfRestored(draft, caller), node, Level.EDITOR),
    problem: null,
    apply: () => {
      skipped.push(...restoreNode(draft, node.id, caller));
      return null;
    },
    skipped: () => skipped,
  });
}

function reversalByUpdate({ draft, caller }: RevertContext, node: NodeState, wanted: Patch): Reversal {
  const fields = CONTENT.filter((field) => field in wanted);
  const isThere = fields.every((field) => isSame(node[field as keyof NodeState], wanted[field]));
  return unlessInPlace(isThere, {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    problem: refuseTrashed(node),
    apply: () => {
      draft.changeNode(Op.NODE_UPDATE, node.id, Object.fromEntries(fields.map((field) => [field, wanted[field]])));
      return null;
    },
    skipped: () => [],
  });
}

/** It never begins a claim, and ends one only for its user (CLAIM3). */
function reversalByStatus({ draft, caller, context }: RevertContext, node: NodeState, wanted: Patch): Reversal {
  // In progress by a claim: without the claim, nobody would work on the node.
  const status = (wanted.claimId ?? null) === null ? (statusByHand(wanted) as Status) : Status.AVAILABLE;
  return unlessInPlace(statusByHand(node) === status, {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    problem: refuseTrashed(node) ?? refuseClaimOfOther(node, context),
    apply: () => {
      const blocked = mustBeBlocked(draft.existingNode(node.id));
      const patch = blocked
        ? { status: Status.BLOCKED, statusBefore: status }
        : { status, statusBefore: null, ...definedFields({ completedTime: recordedTime(wanted) }) };
      draft.changeNode(Op.NODE_STATUS, node.id, patch);
      return null;
    },
    skipped: () => [],
  });
}

/**
 * The time of completion in a state of the batch, null if it was not known; undefined if the node
 * was not Completed then, but Blocked with that status stored for later (BLK11).
 */
function recordedTime({ status, completedTime = null }: Patch): string | null | undefined {
  return status === Status.COMPLETED ? (completedTime as string | null) : undefined;
}

function reversalByPublication(
  { draft, caller, context }: RevertContext,
  node: NodeState,
  { expected, wanted }: Sides,
): Reversal {
  const { publicToken, publicDue, publicBranch } = wanted as Pick<NodeState, PublicationField>;
  // A publication is stored whole, so select the fields that the batch changed.
  const fields = PUBLICATION_FIELDS.filter((field) => expected[field] !== wanted[field]);
  // The level of the command with the same effect counts, even if the publication has expired
  // (HIS3).
  const concernsBranch = node.publicBranch || publicBranch || expected.publicBranch === true;
  const over = publicToken !== null && publicDue !== null && publicDue <= context.now;
  const isThere = fields.every((field) => isSame(node[field], wanted[field]));
  return unlessInPlace(isThere, {
    forbids: concernsBranch ? refuseSharing(caller, node) : refuseBelow(caller, node, Level.ADMIN),
    // A trashed node accepts only the end of a publication.
    problem: publicToken === null ? null : (refuseTrashed(node) ?? (over ? refuseExpired({ id: node.id }) : null)),
    apply: () => {
      draft.changeNode(Op.NODE_PUBLISH, node.id, Object.fromEntries(fields.map((field) => [field, wanted[field]])));
      return null;
    },
    skipped: () => [],
  });
}
