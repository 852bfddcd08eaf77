// A cache of results that derive from a finished state, which never changes again. It affects only
// the duration of a run.
import type { ModelOp, ModelState } from './state.ts';

const kept = new WeakMap<ModelState, Map<string, unknown>>();

/** Marks a state as final, so that `cached` caches its results from now on. Returns the state. */
export function finish(state: ModelState): ModelState {
  if (!kept.has(state)) kept.set(state, new Map());
  return state;
}

/**
 * The result of `compute`. For a final state it is computed once for each key. Callers must not
 * change the shared results.
 */
export function cached<T>(state: ModelState, key: string, compute: () => T): T {
  const ofState = kept.get(state);
  if (ofState === undefined) return compute();
  if (!ofState.has(key)) ofState.set(key, compute());
  return ofState.get(key) as T;
}

/**
 * Like `cached`, for results that depend on the time: they change only when a grant or publication
 * ends. Rules: ACL5.
 */
export function cachedUntilDue<T>(state: ModelState, now: string, key: string, compute: () => T): T {
  const expirations = [...state.grants.map(({ due }) => due), ...state.nodes.map(({ publicDue }) => publicDue)];
  const ended = expirations.filter((due) => due !== null && due <= now).length;
  return cached(state, `${key} after ${ended} ends`, compute);
}

const ofSteps = new WeakMap<ModelOp, Map<string, unknown>>();

/**
 * Like `cached`, for results that depend on one step of history and on the users: all final states
 * of a run have the same users and steps.
 */
export function cachedOfStep<T>(state: ModelState, op: ModelOp, key: string, compute: () => T): T {
  if (!kept.has(state)) return compute();
  const results = ofSteps.get(op) ?? new Map();
  ofSteps.set(op, results);
  if (!results.has(key)) results.set(key, compute());
  return results.get(key) as T;
}
