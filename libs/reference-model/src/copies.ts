// Copies of a state and its entities.
import type { ModelGrant, ModelLink, ModelNode, ModelState } from './state.ts';

/** A copy of an entity, with copies of its lists. */
export function copyOf<T extends ModelNode | ModelLink | ModelGrant>(entity: T): T {
  const copy: Record<string, unknown> = { ...entity };
  for (const name in copy) {
    const value = copy[name];
    if (Array.isArray(value)) copy[name] = [...value];
  }
  return copy as T;
}

/** A copy of everything that a command changes. Users and the steps of history never change. */
export function copyOfState({ users, nodes, links, grants, batches, keys }: ModelState): ModelState {
  return {
    users,
    nodes: nodes.map(copyOf),
    links: links.map(copyOf),
    grants: grants.map(copyOf),
    batches: batches.map((batch) => ({ ...batch })),
    keys: [...keys],
  };
}
