// The Blocked status, and the cascade when a node enters or leaves Completed. Rules: BLK1 to BLK9,
// BLK11.
import { Op, Status } from '@taskgraph/wire/codes';
import type { NodeState } from '../state/state.ts';
import { blocks, type Draft } from './draft.ts';

/** Whether a node must be Blocked (BLK1, BLK2). */
export function mustBeBlocked(node: Pick<NodeState, 'independent' | 'openBlockers'>): boolean {
  return !node.independent && node.openBlockers > 0;
}

/** The status after unblocking. Completion is never a side effect (BLK3). */
function statusAfterUnblocking(before: Status | null): Status {
  return before === Status.AVAILABLE || before === null ? Status.AVAILABLE : Status.IN_PROGRESS;
}

/** A status that undo and redo restore, with its time if it is Completed (BLK3, BLK11). */
export interface RestoredStatus {
  readonly status: Status;
  readonly completedTime: string | null;
}
type RestoredStatuses = ReadonlyMap<string, RestoredStatus>;

/**
 * Recomputes to a fixpoint the status of every node whose blockers changed (BLK5), then marks the
 * links that block for the first time (BLK9).
 *
 * Entries come nearest first, then by id: each round is one step further from the changed nodes. It
 * ends because active primary links have no cycle (LNK4). `exact` holds statuses that undo and redo
 * restore (BLK3).
 */
export function recomputeStatuses(draft: Draft, exact: RestoredStatuses = new Map()): void {
  draft.asEffect(() => {
    while (draft.toRecompute.size > 0) {
      const round = nextRound(draft.toRecompute, exact);
      for (const id of round) draft.toRecompute.delete(id);
      // A node that enters or leaves Completed changes the blocker counts of all its targets.
      draft.requireTargetsOf(round.filter((id) => crosses(draft.existingNode(id), exact.get(id))));
      for (const id of round) recomputeStatus(draft, id, exact.get(id));
    }
    markFirstBlocks(draft);
  });
}

/**
 * The next nodes to recompute, by id. Nodes that return to Completed go first; otherwise their
 * targets would be Blocked for a moment, with an extra entry.
 */
function nextRound(toRecompute: ReadonlySet<string>, exact: RestoredStatuses): string[] {
  const completed = [...toRecompute].filter((id) => exact.get(id)?.status === Status.COMPLETED);
  return (completed.length > 0 ? completed : [...toRecompute]).sort();
}

/** Whether the recomputation takes a node into or out of Completed. */
function crosses(node: NodeState, exact: RestoredStatus | undefined): boolean {
  if (node.inTrash) return false;
  return mustBeBlocked(node) ? node.status === Status.COMPLETED : exact?.status === Status.COMPLETED;
}

function recomputeStatus(draft: Draft, id: string, exact: RestoredStatus | undefined): void {
  const node = draft.existingNode(id);
  // A trashed node keeps its status until a restore recomputes it (BLK10).
  if (node.inTrash) return;
  const blocked = node.status === Status.BLOCKED;
  if (mustBeBlocked(node) === blocked) return;
  if (blocked) {
    // A status that a user set since then takes precedence.
    const next = exact?.status === node.statusBefore ? exact : { status: statusAfterUnblocking(node.statusBefore) };
    draft.changeNode(Op.NODE_STATUS, id, { ...next, statusBefore: null });
  } else {
    draft.changeNode(Op.NODE_STATUS, id, { status: Status.BLOCKED, statusBefore: node.status });
  }
}

/**
 * Marks the links that begin to block because their source left Completed or their target is no
 * longer independent. A link with an entry in this step shows the mark there; each other link gets
 * a LINK_UPDATE, by id (BLK9).
 */
function markFirstBlocks(draft: Draft): void {
  const candidates = new Set<string>();
  for (const id of draft.reopened) for (const link of draft.primaryFrom(id).keys()) candidates.add(link);
  for (const id of draft.dependentAgain) for (const link of draft.primaryInto(id)) candidates.add(link);
  draft.requireLinks([...candidates]);
  for (const id of [...candidates].sort()) {
    const link = draft.existingLink(id);
    if (!link.wasBlocker && blocks(draft, link)) draft.markBlocker(id);
  }
}
