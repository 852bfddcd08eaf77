// The tasks whose shares changed since the replica was opened. The replica shows the share roots of a
// task as of the task's own last change, which a share is not.
import type { Replica } from '@taskgraph/client';

/** The oldest are forgotten. A task says itself that it is shared once it changes. */
const MOST_TASKS = 10_000;

const changed = new WeakMap<Pick<Replica, 'on'>, Set<string>>();

/** Starts to record the changes of a replica. */
export function recordShares(replica: Pick<Replica, 'on'>): void {
  const ids = new Set<string>();
  changed.set(replica, ids);
  replica.on('slice', ({ access = [] }) => {
    for (const { before, after } of access) {
      const id = String(after.id ?? before.id);
      ids.delete(id);
      ids.add(id);
    }
    for (const oldest of ids) if (ids.size > MOST_TASKS) ids.delete(oldest);
  });
}

export function recordedShares(replica: Pick<Replica, 'on'>): ReadonlySet<string> {
  return changed.get(replica) ?? new Set();
}
