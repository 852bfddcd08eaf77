// Pages of the resource list for agents.
import { expect, test } from 'vitest';
import { graphOf } from '../graph/graph.ts';
import { resourcesOf } from './server.ts';

/** Parents with one child each. */
function graphWith(parents: number) {
  const ids = Array.from({ length: parents }, (_, index) => String(index).padStart(4, '0'));
  const node = (id: string) => ({ id, title: id, status: 0, priority: 0, dueDate: null });
  return {
    ids,
    graph: graphOf(
      ids.flatMap((id) => [node(id), node(`${id}c`)]) as never,
      ids.map((id) => ({ id: `l${id}`, source: `${id}c`, target: id, type: 0 })) as never,
    ),
  };
}

test('[ACL11] pages join without a gap, and the last one has no cursor', () => {
  const { ids, graph } = graphWith(450);
  const uris: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
    const { resources, nextCursor } = resourcesOf(graph, cursor);
    uris.push(...resources.map(({ uri }) => uri));
    sizes.push(resources.length);
    cursor = nextCursor;
  }
  expect(sizes).toEqual([201, 200, 50]);
  expect(new Set(uris)).toEqual(new Set(['taskgraph://ready', ...ids.map((id) => `taskgraph://branch/${id}`)]));
  expect(() => resourcesOf(graph, 'gone')).toThrow('read it again from the start');
});
