// Taking back, or making again, what a command did to a node. Rules: HIS2 to HIS4, BLK3, TRS3, PUB1.
import { mustBeBlocked } from '@taskgraph/domain/decision/blocking';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Level, Op, Status } from '@taskgraph/wire/codes';
import { refuseBelow, refuseSharing, refuseTrashed } from '../rules/caller.ts';
import { callerOnReturn } from '../rules/caller-visibility.ts';
import { restoreNode, trashNode } from '../rules/trash.ts';
import { statusByHand } from './held.ts';
import {
  differing,
  expired,
  impossible,
  irreversible,
  type Reversal,
  type Reverting,
  sidesOf,
  trashConflicts,
} from './reversal.ts';

/** The fields of a node that people write; its status is compared by itself. */
const CONTENT = [
  ...['title', 'description', 'dueDate', 'type', 'tags', 'priority', 'independent', 'volume', 'assignee'],
  ...['x', 'y', 'z', 'pinned', 'collapsed'],
] as const;
const PUBLICATION = ['publicToken', 'publicDue', 'publicBranch'] as const;

export function nodeReversal(reverting: Reverting, change: StoredChange): Reversal {
  const node = reverting.draft.node(change.id);
  if (node === null || change.op === Op.NODE_DELETE) return impossible(irreversible(change));
  const { expected, wanted } = sidesOf(reverting, change);
  if (wanted === null || wanted.inTrash === true) return trashing(reverting, node, expected ?? {});
  if (expected === null || expected.inTrash === true) return restoring(reverting, node);
  if (change.op === Op.NODE_PUBLISH) return publishing(reverting, node, { expected, wanted });
  return change.op === Op.NODE_STATUS
    ? settingStatus(reverting, node, { expected, wanted })
    : updating(reverting, node, { expected, wanted });
}

type Patch = Readonly<Record<string, unknown>>;

interface Sides {
  readonly expected: Patch;
  readonly wanted: Patch;
}

function trashing(reverting: Reverting, node: NodeState, expected: Patch): Reversal {
  const { draft, caller, context } = reverting;
  const trashed = node.inTrash ? [{ entity: node.id, field: 'inTrash' }] : [];
  const status = 'status' in expected ? statusConflicts(reverting, node, expected) : [];
  return {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    conflicts: [...trashed, ...differing(node, expected, CONTENT, { entity: node.id }), ...status],
    problem: null,
    apply: () => {
      trashNode(draft, node.id, context);
      return null;
    },
    skipped: () => [],
  };
}

function restoring(reverting: Reverting, node: NodeState): Reversal {
  const { draft, caller } = reverting;
  const skipped: string[] = [];
  return {
    forbids: refuseBelow(callerOnReturn(draft, caller), node, Level.EDITOR),
    conflicts: trashConflicts(reverting, node),
    problem: null,
    apply: () => {
      skipped.push(...restoreNode(draft, node.id, caller));
      return null;
    },
    skipped: () => skipped,
  };
}

function updating({ draft, caller }: Reverting, node: NodeState, { expected, wanted }: Sides): Reversal {
  const fields = CONTENT.filter((field) => field in wanted);
  return {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    conflicts: differing(node, expected, fields, { entity: node.id }),
    problem: refuseTrashed(node),
    apply: () => {
      draft.changeNode(Op.NODE_UPDATE, node.id, Object.fromEntries(fields.map((field) => [field, wanted[field]])));
      return null;
    },
    skipped: () => [],
  };
}

function statusConflicts({ held }: Reverting, node: NodeState, expected: Patch) {
  const holds = held === undefined ? statusByHand(node) === statusByHand(expected) : held.statuses.has(node.id);
  return holds ? [] : [{ entity: node.id, field: 'status' }];
}

function settingStatus(reverting: Reverting, node: NodeState, { expected, wanted }: Sides): Reversal {
  const { draft, caller } = reverting;
  return {
    forbids: refuseBelow(caller, node, Level.EDITOR),
    conflicts: statusConflicts(reverting, node, expected),
    problem: refuseTrashed(node),
    apply: () => {
      const status = statusByHand(wanted) as Status;
      const blocked = mustBeBlocked(draft.existingNode(node.id));
      const patch = blocked ? { status: Status.BLOCKED, statusBefore: status } : { status, statusBefore: null };
      draft.changeNode(Op.NODE_STATUS, node.id, patch);
      return null;
    },
    skipped: () => [],
  };
}

function publishing({ draft, caller, context }: Reverting, node: NodeState, { expected, wanted }: Sides): Reversal {
  const { publicToken, publicDue, publicBranch } = wanted as Pick<NodeState, (typeof PUBLICATION)[number]>;
  // All of a publication is stored; the batch set what it changed of it.
  const fields = PUBLICATION.filter((field) => expected[field] !== wanted[field]);
  // By the command that would do it by hand, although the publication has ended meanwhile (HIS3).
  const concernsBranch = node.publicBranch || publicBranch || expected.publicBranch === true;
  const over = publicToken !== null && publicDue !== null && publicDue <= context.now;
  return {
    forbids: concernsBranch ? refuseSharing(caller, node) : refuseBelow(caller, node, Level.ADMIN),
    conflicts: differing(node, expected, fields, { entity: node.id }),
    // In the trash, only taking away is allowed.
    problem: publicToken === null ? null : (refuseTrashed(node) ?? (over ? expired({ id: node.id }) : null)),
    apply: () => {
      draft.changeNode(Op.NODE_PUBLISH, node.id, Object.fromEntries(fields.map((field) => [field, wanted[field]])));
      return null;
    },
    skipped: () => [],
  };
}
