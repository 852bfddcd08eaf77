// A small graph to be planned: its entities, and a replica's view of them that can be changed.
import type { Entity } from '../../merge-diff.ts';
import { createEmitter } from '../../replica/emitter.ts';
import type { ReplicaEvents } from '../../replica/replica-events.ts';
import { planningOf } from '../../replica/replica-plan.ts';
import { createView } from '../../replica/view.ts';

type Identified = { readonly id: string };

export const node = (id: string, more: object = {}) => ({
  id,
  status: 0,
  volume: 1,
  independent: false,
  priority: 0,
  dueDate: null,
  ...more,
});

/** Its ends are named by the two letters of its id. */
export const link = (id: string, more: object = {}) => ({
  id,
  source: id[0] as string,
  target: id[1] as string,
  type: 0,
  private: false,
  ...more,
});

export const byId = (entities: readonly Identified[]) =>
  new Map(entities.map((entity) => [entity.id, entity as unknown as Entity]));

/** Changes of one turn are told once it is over. */
export const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

/** A view of these entities with its plans, once it shows them. */
export async function plannedGraph(nodes: readonly Identified[], links: readonly Identified[]) {
  const graph = { nodes: byId(nodes), links: byId(links) };
  const emitter = createEmitter<ReplicaEvents>();
  const view = createView({ emitter, current: (kind, id) => graph[kind].get(id) });
  for (const kind of ['nodes', 'links'] as const) for (const id of graph[kind].keys()) view.touch(kind, id);
  await turn();
  const { snapshot, subscribe } = view;
  return {
    ...planningOf({ snapshot, subscribe, on: emitter.on, hasBlocker: () => false }),
    snapshot,
    change(kind: 'nodes' | 'links', entity: Identified) {
      graph[kind].set(entity.id, entity as Entity);
      view.touch(kind, entity.id);
    },
    remove(kind: 'nodes' | 'links', id: string) {
      graph[kind].delete(id);
      view.touch(kind, id);
    },
  };
}
