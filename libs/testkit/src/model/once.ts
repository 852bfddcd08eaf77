// What was worked out of a state is kept with it. A finished state never changes, and time matters only where something in it ends.
import type { ModelState } from './state.ts';

const kept = new WeakMap<ModelState, Map<string, unknown>>();

/** The number of grants and publications that have ended: what readers see is the same while it is. Rules: ACL5. */
function endedBy(state: ModelState, now: string): number {
  const dues = [...state.grants.map(({ due }) => due), ...state.nodes.map(({ publicDue }) => publicDue)];
  return dues.filter((due) => due !== null && due <= now).length;
}

/**
 * What `compute` gives, worked out once for a finished state, a time and a key. For those who ask about the same state again and again:
 * the results are shared, so leave them as they are.
 */
export function once<T>(state: ModelState, now: string, key: string, compute: () => T): T {
  const ofState = kept.get(state) ?? new Map<string, unknown>();
  kept.set(state, ofState);
  const name = `${endedBy(state, now)}/${key}`;
  if (!ofState.has(name)) ofState.set(name, compute());
  return ofState.get(name) as T;
}
