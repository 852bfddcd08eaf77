// The state that a batch of several operations left, as far as it still holds. Its undo compares with that: between its parts a value may differ by what
// follows from the others, which is no conflict. Rules: BAT5, HIS2.
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { Status } from '@taskgraph/wire/codes';

export interface Held {
  /** Nodes with the status that the batch left. */
  readonly statuses: ReadonlySet<string>;
  /** Links in the trash that the batch left there: they need not come back with their node, where its other end has gone since. */
  readonly trashed: ReadonlySet<string>;
}

/** The state that these changes left, as far as it holds before any of them is taken back. */
export function heldOf(draft: Draft, changes: readonly StoredChange[]): Held {
  const statuses = new Map<string, unknown>();
  const trashed = new Map<string, unknown>();
  for (const { kind, id, after } of changes) {
    if (after === null) continue;
    if (kind === 'node' && ('status' in after || 'statusBefore' in after)) statuses.set(id, statusByHand(after));
    if (kind === 'link' && 'inTrash' in after) trashed.set(id, after.inTrash);
  }
  const isStatusHeld = (id: string, status: unknown) => {
    const node = draft.node(id);
    return node !== null && statusByHand(node) === status;
  };
  return {
    statuses: new Set([...statuses].flatMap(([id, status]) => (isStatusHeld(id, status) ? [id] : []))),
    trashed: new Set([...trashed].flatMap(([id, left]) => (left === true && draft.link(id)?.inTrash ? [id] : []))),
  };
}

/** The status that people set: of a Blocked node the one that comes back (BLK3). */
export function statusByHand({ status, statusBefore }: { readonly status?: unknown; readonly statusBefore?: unknown }) {
  // While the node stays Blocked, only what is kept for later changes.
  return status === Status.BLOCKED || status === undefined ? statusBefore : status;
}
