import { expect, test } from 'vitest';
import { blockersOf, createFirstStepCache, firstStepTo, freedBy, type ReadableGraph } from './blockers.ts';
import type { Link, Task } from './task.ts';

/** A graph of tasks by id and status, and of links such as `a>b`, or `a~b` for a secondary one. */
function graphOf(statuses: Record<string, number>, arrows: readonly string[]): ReadableGraph {
  const links = arrows.map((id): Link => {
    const [source = '', target = ''] = id.split(/[>~]/);
    return { id, source, target, type: id.includes('~') ? 1 : 0 };
  });
  const tasks = new Map(Object.entries(statuses).map(([id, status]) => [id, { id, status } as Task]));
  return {
    task: (id) => tasks.get(id),
    incoming: (id) => links.filter(({ target }) => target === id),
    outgoing: (id) => links.filter(({ source }) => source === id),
  };
}

const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

test('open sources of primary links block', () => {
  const graph = graphOf({ a: 0, b: 3, c: 1, d: 0, z: 2 }, ['a>z', 'b>z', 'c>z', 'd~z', 'unseen>z']);
  expect(idsOf(blockersOf(graph, 'z'))).toEqual(['a', 'c']);
});

test('the first step is the nearest open task that is not blocked', () => {
  const graph = graphOf({ far: 0, middle: 2, near: 0, side: 2, z: 2 }, [
    'far>middle',
    'middle>z',
    'near>side',
    'side>z',
  ]);
  expect(firstStepTo(graph, 'z')?.id).toBe('far');
  expect(firstStepTo(graph, 'side')?.id).toBe('near');
  expect(firstStepTo(graphOf({ z: 2 }, ['unseen>z']), 'z')).toBeUndefined();
});

test('links in a circle, as they may appear while changes arrive, end the search', () => {
  expect(firstStepTo(graphOf({ a: 2, b: 2 }, ['a>b', 'b>a']), 'a')).toBeUndefined();
});

test('the finder walks again after a change of a status or a link alone, and finds what a walk finds', () => {
  const statuses: Record<string, number> = { far: 0, middle: 2, near: 2, z: 2 };
  const arrows = ['far>middle', 'middle>z', 'near>z'];
  let [counts, structure, walks] = [[0, 0, 0, 0] as const, 0, 0];
  const now = () => graphOf(statuses, arrows);
  const graph: ReadableGraph = {
    task: (id) => now().task(id),
    incoming(id) {
      if (id === 'z') walks++;
      return now().incoming(id);
    },
    outgoing: (id) => now().outgoing(id),
  };
  const find = createFirstStepCache(graph, { counts: () => counts, structure: () => structure });
  const found = (id = 'z') => {
    expect(find(id)).toEqual(firstStepTo(now(), id));
    return find(id)?.id;
  };
  expect([found(), found(), walks]).toEqual(['far', 'far', 1]);
  statuses.near = 0;
  counts = [...counts];
  expect([found(), found(), walks]).toEqual(['near', 'near', 2]);
  arrows.pop();
  structure++;
  expect([found(), walks]).toEqual(['far', 3]);
  delete statuses.far;
  structure++;
  expect([found(), found(), walks]).toEqual([undefined, undefined, 4]);
  expect([found('near'), found(), walks]).toEqual([undefined, undefined, 5]);
});

test('completing a task frees those that wait for nothing else', () => {
  const graph = graphOf({ a: 0, b: 0, both: 2, one: 2, done: 3 }, ['a>both', 'b>both', 'a>one', 'a>done', 'a~other']);
  expect(idsOf(freedBy(graph, 'a'))).toEqual(['one']);
});
