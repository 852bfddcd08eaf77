// Results worked out of a finished state are kept with it: it never changes any more. Only how long a run takes depends on it.
import type { ModelState } from './state.ts';

const kept = new WeakMap<ModelState, Map<string, unknown>>();

/** Says that a state will not be changed again: from now on what is asked of it `once` is kept. Gives the state. */
export function finish(state: ModelState): ModelState {
  if (!kept.has(state)) kept.set(state, new Map());
  return state;
}

/** The result of `compute`; for a finished state it is worked out once for each key. The results are shared: leave them as they are. */
export function once<T>(state: ModelState, key: string, compute: () => T): T {
  const ofState = kept.get(state);
  if (ofState === undefined) return compute();
  if (!ofState.has(key)) ofState.set(key, compute());
  return ofState.get(key) as T;
}

/**
 * Like `once`, for what depends on the time: it is the same until a grant or a publication ends. Rules: ACL5.
 */
export function onceUntilDue<T>(state: ModelState, now: string, key: string, compute: () => T): T {
  const expirations = [...state.grants.map(({ due }) => due), ...state.nodes.map(({ publicDue }) => publicDue)];
  const ended = expirations.filter((due) => due !== null && due <= now).length;
  return once(state, `${key} after ${ended} ends`, compute);
}
