// A service for tests of updates: the reference model with the reads that updates make, and sources of imports.
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../../transfer/caller.ts';
import { createMemorySources } from './memory-sources.ts';
import { createModelService, type ModelService } from './model-caller.ts';

/** A service with reads, and calls that can break. */
export function openUpdateService() {
  const service = createModelService();
  let left = Number.POSITIVE_INFINITY;
  let moment: 'before' | 'after' = 'before';
  const onCall = (when: 'before' | 'after') => {
    if (when === 'before') left--;
    if (left === 0 && when === moment) {
      left = Number.POSITIVE_INFINITY;
      throw new TaskgraphError({ code: 'client.disconnected', message: 'lost', traceId: null });
    }
  };
  const sources = createMemorySources(onCall);
  const model = service.caller();
  const caller: Caller = {
    async call(event, payload, options) {
      if (event === 'graph:get') {
        const { nodes, links: all } = service.content();
        return { nodes: [...nodes], links: [...all], hasMore: false, next: null } as never;
      }
      if (event === 'node:access:list') return { grants: grantsOn(service, payload as never) } as never;
      if (event === 'node:get') return nodesById(service, payload as never) as never;
      if (options?.dryRun === true) return model.call(event, payload, options);
      onCall('before');
      const answer = await model.call(event, payload, options);
      onCall('after');
      return answer;
    },
  };
  const breakAt = (at: number, when: 'before' | 'after') => {
    [left, moment] = [at, when];
  };
  return { service, sources, caller, breakAt, mend: () => breakAt(Number.POSITIVE_INFINITY, 'before') };
}

function nodesById(service: ModelService, { ids }: { readonly ids: readonly string[] }): object {
  const [nodes, all] = [[...service.content().nodes], [...service.content().links]];
  const active = nodes.filter(({ id }) => ids.includes(String(id)));
  const trashed = [...service.state().nodes.values()].filter(({ id, inTrash }) => inTrash && ids.includes(id));
  return {
    nodes: [...active, ...trashed.map(({ id, title }) => ({ id, title, inTrash: true }))],
    links: all.filter(({ source, target }) => ids.includes(String(source)) || ids.includes(String(target))),
  };
}

function grantsOn(service: ModelService, { id }: { readonly id: string }): object[] {
  return [...service.state().grants.values()].filter(({ nodeId }) => nodeId === id);
}
