// A small graph for plans and searches, with a view whose entities a test can change.
import type { Entity } from '../../merge-diff.ts';
import { createEmitter } from '../../replica/emitter.ts';
import type { ReplicaEvents } from '../../replica/replica-events.ts';
import { searchMethodsOf } from '../../replica/replica-find.ts';
import { planMethodsOf } from '../../replica/replica-plan.ts';
import { createView } from '../../replica/view.ts';

type EntityLike = { readonly id: string };

export const node = (id: string, more: object = {}) => ({
  id,
  status: 0,
  volume: 1,
  independent: false,
  priority: 0,
  dueDate: null,
  ...more,
});

/** The two letters of its id are the ids of its ends. */
export const link = (id: string, more: object = {}) => ({
  id,
  source: id[0] as string,
  target: id[1] as string,
  type: 0,
  private: false,
  ...more,
});

export const byId = (entities: readonly EntityLike[]) =>
  new Map(entities.map((entity) => [entity.id, entity as unknown as Entity]));

/** Waits for the end of a turn, when its changes are reported. */
export const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

/** A view of these entities. */
async function smallGraph(nodes: readonly EntityLike[], links: readonly EntityLike[]) {
  const graph = { nodes: byId(nodes), links: byId(links) };
  const emitter = createEmitter<ReplicaEvents>();
  const view = createView({ emitter, current: (kind, id) => graph[kind].get(id) });
  for (const kind of ['nodes', 'links'] as const) for (const id of graph[kind].keys()) view.touch(kind, id);
  await turn();
  const { snapshot, subscribe } = view;
  return {
    snapshot,
    subscribe,
    on: emitter.on,
    change(kind: 'nodes' | 'links', entity: EntityLike) {
      graph[kind].set(entity.id, entity as Entity);
      view.touch(kind, entity.id);
    },
    remove(kind: 'nodes' | 'links', id: string) {
      graph[kind].delete(id);
      view.touch(kind, id);
    },
  };
}

/** A view of these entities with its plans. */
export async function plannedGraph(nodes: readonly EntityLike[], links: readonly EntityLike[]) {
  const graph = await smallGraph(nodes, links);
  return { ...graph, ...planMethodsOf({ ...graph, hasBlocker: () => false }) };
}

/** A view of these entities with the searches of ann. */
export async function searchedGraph(nodes: readonly EntityLike[], links: readonly EntityLike[]) {
  const graph = await smallGraph(nodes, links);
  return { ...graph, ...searchMethodsOf({ ...graph, username: () => 'ann' }) };
}
