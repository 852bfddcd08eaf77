import type { Entity } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { changedLayout, NO_COLUMN, newLayout } from '../layout/layout.ts';
import { overviewOf } from './overview.ts';
import { earlierPositions, isSamePlacement, numberGraph, type PlacedScene, sceneOf } from './scene.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Tasks by id; each later one blocks those that it names. */
function graphOf(tasks: Readonly<Record<string, Fields & { readonly blocks?: readonly string[] }>>) {
  const nodes = new Map<string, Entity>();
  const links = new Map<string, Entity>();
  for (const [id, { blocks = [], ...fields }] of Object.entries(tasks)) {
    nodes.set(id, Object.assign({ id, version: 1, title: id, status: 0 }, fields));
    for (const target of blocks) {
      const link = `${id}${target}`;
      links.set(link, { id: link, version: 1, source: id, target, type: 0 });
    }
  }
  return { nodes, links };
}

function placed(graph: ReturnType<typeof graphOf>): PlacedScene {
  const scene = sceneOf(graph);
  return { ...scene, layout: newLayout(scene.graph) };
}

test('[CON21] a collapsed task says how many it hides, and the links keep their ends', () => {
  const scene = sceneOf(
    graphOf({ a: { collapsed: true }, b: { blocks: ['a'] }, c: { blocks: ['b'] }, d: {}, e: { blocks: ['b', 'd'] } }),
  );
  expect(scene.ids).toEqual(['a', 'd', 'e']);
  expect([...scene.hiddenBelow]).toEqual([2, 0, 0]);
  expect([...scene.graph.sources].map((source, link) => [source, scene.graph.targets[link]])).toEqual([
    [2, 0],
    [2, 1],
  ]);
  expect(scene.tasks.map((task) => task?.id)).toEqual(scene.ids);
});

test('[CON22] a moved pin asks for a layout, and a task that is unpinned has no earlier place', () => {
  const pinned = placed(graphOf({ a: { pinned: true, x: 5, y: 6 }, b: { blocks: ['a'] } }));
  expect([[...pinned.pins.nodes], [...pinned.pins.xs], [...pinned.pins.ys]]).toEqual([[0], [5], [6]]);
  const moved = sceneOf(graphOf({ a: { pinned: true, x: 5, y: 7 }, b: { blocks: ['a'] } }));
  const loose = sceneOf(graphOf({ a: { pinned: false, x: 5, y: 7 }, b: { blocks: ['a'] } }));
  expect([isSamePlacement(pinned, pinned), isSamePlacement(pinned, moved), isSamePlacement(pinned, loose)]).toEqual([
    true,
    false,
    false,
  ]);
  const { columns, rows } = earlierPositions(loose, pinned);
  expect([columns[0], rows[0]]).toEqual([NO_COLUMN, Number.NaN]);
  expect(columns[1]).toBe(pinned.layout.columns[1]);
});

test('[CON22] a pin too far away does not count, so that no layout lasts for ever', () => {
  const far = [1e20, 1e10, -1e300, Number.NaN].flatMap((place) => [
    { pinned: true, x: place, y: 0 },
    { pinned: true, x: 0, y: place },
  ]);
  const earlier = placed(graphOf({ a0: { pinned: true, x: 5, y: 6 } }));
  const scene = sceneOf(
    graphOf({ ...Object.fromEntries(far.map((task, n) => [`a${n}`, task])), b: { blocks: ['a0'] } }),
  );
  expect([...scene.pins.nodes]).toEqual([]);
  const before = earlierPositions(scene, earlier);
  expect([before.columns[0], before.rows[0]]).toEqual([NO_COLUMN, Number.NaN]);
  const { columns } = changedLayout(scene.graph, before, scene.pins);
  expect(Math.max(...columns.map(Math.abs))).toBeLessThan(far.length);

  const edge = sceneOf(graphOf({ a: { pinned: true, x: 1e6, y: -1e6 }, b: { blocks: ['a'] } }));
  expect([...edge.pins.nodes]).toEqual([0]);
  expect(changedLayout(edge.graph, earlierPositions(edge, null), edge.pins).xs[0]).toBe(1e6);
});

test('[CON23] tiles count their tasks by status, also hidden ones, and follow a change', () => {
  const graph = graphOf({
    a: { status: 2, collapsed: true },
    b: { status: 2, blocks: ['a'] },
    c: { blocks: ['b'] },
    d: { status: 3 },
  });
  const all = numberGraph(graph);
  const overview = overviewOf(all);
  expect(overview.scene.ids).toEqual(['a', 'd']);
  expect([overview.countsOf(0), overview.countsOf(1)]).toEqual([
    [1, 0, 2, 0],
    [0, 0, 0, 1],
  ]);
  expect(overview.tasksOf('a')).toEqual(['a', 'b', 'c']);
  const [before, top] = [all.tasks[2], all.tasks[0]];
  if (before === undefined || top === undefined) throw new Error('there is no such task');
  expect(overview.change(before, { ...before, status: 3 })).toBe(true);
  expect(overview.countsOf(0)).toEqual([0, 0, 2, 1]);
  // A title shows only on the task at the top.
  expect(overview.change(before, { ...before, title: 'C' })).toBe(false);
  expect(overview.change(top, { ...top, title: 'A' })).toBe(true);
  expect(overview.scene.tasks[0]?.title).toBe('A');
});
