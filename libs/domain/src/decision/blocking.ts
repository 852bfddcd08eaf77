// Blocking: who is Blocked, and the cascade that follows when a node enters or leaves Completed. Rules: BLK1 to BLK9.
import { Op, Status } from '@taskgraph/wire/codes';
import type { NodeState } from '../state/state.ts';
import { blocks, type Draft } from './draft.ts';

/** Whether a node has to be Blocked (BLK1, BLK2). */
export function mustBeBlocked(node: Pick<NodeState, 'independent' | 'openBlockers'>): boolean {
  return !node.independent && node.openBlockers > 0;
}

/** The status that an unblocked node comes back with: completing is never a side effect (BLK3). */
function statusAfterUnblocking(before: Status | null): Status {
  return before === Status.AVAILABLE || before === null ? Status.AVAILABLE : Status.IN_PROGRESS;
}

/**
 * Recomputes the status of every node whose blockers moved, to a fixpoint (BLK5), then marks the links that block for the first
 * time (BLK9).
 *
 * Entries come nearest first, then by id: each round is one step further from the nodes that the command changed. It ends, since
 * active primary links have no cycle (LNK4). `exact` holds statuses that undo and redo bring back as they were (BLK3).
 */
export function recomputeStatuses(draft: Draft, exact: ReadonlyMap<string, Status> = new Map()): void {
  draft.asEffect(() => {
    while (draft.toRecompute.size > 0) {
      const round = nextRound(draft.toRecompute, exact);
      for (const id of round) draft.toRecompute.delete(id);
      // A node that leaves Completed, or comes back to it, moves the counts of all that it blocks.
      draft.requireTargetsOf(round.filter((id) => crosses(draft.existingNode(id), exact.get(id))));
      for (const id of round) recomputeStatus(draft, id, exact.get(id));
    }
    markFirstBlocks(draft);
  });
}

/**
 * The nodes to recompute next, by id. Those that come back as Completed go first: what is downstream of them would be Blocked by them
 * for a moment, with an entry too many.
 */
function nextRound(toRecompute: ReadonlySet<string>, exact: ReadonlyMap<string, Status>): string[] {
  const completed = [...toRecompute].filter((id) => exact.get(id) === Status.COMPLETED);
  return (completed.length > 0 ? completed : [...toRecompute]).sort();
}

/** Whether recomputing takes a node out of Completed, or back to it. */
function crosses(node: NodeState, exact: Status | undefined): boolean {
  if (node.inTrash) return false;
  return mustBeBlocked(node) ? node.status === Status.COMPLETED : exact === Status.COMPLETED;
}

function recomputeStatus(draft: Draft, id: string, exact: Status | undefined): void {
  const node = draft.existingNode(id);
  // A trashed node keeps its status; it is recomputed on restore (BLK10).
  if (node.inTrash) return;
  const blocked = node.status === Status.BLOCKED;
  if (mustBeBlocked(node) === blocked) return;
  if (blocked) {
    // Where somebody has given another status meanwhile, that one counts.
    const status = exact === node.statusBefore ? exact : statusAfterUnblocking(node.statusBefore);
    draft.changeNode(Op.NODE_STATUS, id, { status, statusBefore: null });
  } else {
    draft.changeNode(Op.NODE_STATUS, id, { status: Status.BLOCKED, statusBefore: node.status });
  }
}

/**
 * Marks the links that begin to block because their source left Completed or their target stopped being independent: those that have an entry
 * in this step show it there, and each of the others gets a LINK_UPDATE, by id (BLK9).
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
