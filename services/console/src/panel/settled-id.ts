// The ids of a task that is added: a provisional one at first, and the real one once the service has
// answered. An open panel stays open across that.
import type { Replica } from '@taskgraph/client';

/** Tasks whose panel was open then. */
const MOST_TASKS = 100;

/** By the real id, the provisional one. */
const PROVISIONAL = new WeakMap<object, Map<string, string>>();

/** Calls `settled` with the real id of a task that has a provisional one, when the service gives it. */
export function onRealId(replica: Pick<Replica, 'on'>, id: string, settled: (real: string) => void): () => void {
  return replica.on('command:done', ({ ids }) => {
    const real = ids[id];
    if (real === undefined) return;
    const known = PROVISIONAL.get(replica) ?? new Map<string, string>();
    PROVISIONAL.set(replica, known.set(real, id));
    for (const oldest of known.keys()) if (known.size > MOST_TASKS) known.delete(oldest);
    settled(real);
  });
}

/** The first id that a panel had for a task: a key for the panel, which stays the same. */
export function firstIdOf(replica: object, id: string): string {
  return PROVISIONAL.get(replica)?.get(id) ?? id;
}
