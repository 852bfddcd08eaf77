// New end times of grants and publications in a committed group. Rule: ACL5.
import type { Change } from '@taskgraph/domain/state/change';
import type { Expiration } from '@taskgraph/wire/bus/expirations';

/**
 * Each pair of node and end time once, in the order of the changes. Copies are excluded, because
 * they end with their original (NODE3).
 */
export function newExpirations(changes: readonly Change[]): Expiration[] {
  const expirations = new Map<string, Expiration>();
  for (const change of changes) {
    const due = newDue(change);
    if (due !== null) expirations.set(`${change.id}|${due}`, { nodeId: change.id, due });
  }
  return [...expirations.values()];
}

function newDue(change: Change): string | null {
  if (change.kind === 'grant') {
    const { before, after } = change;
    return after === null || after.copyOf !== null || before?.due === after.due ? null : after.due;
  }
  if (change.kind !== 'node' || change.after === null || change.after.publicToken === null) return null;
  return change.before?.publicDue === change.after.publicDue ? null : change.after.publicDue;
}
