import type { Entity } from '@taskgraph/client';
import { expect, test } from 'vitest';
import type { Task } from '../graph/task.ts';
import { changedLayout, NO_COLUMN, newLayout } from '../layout/layout.ts';
import { ROW_HEIGHT } from '../layout/rows.ts';
import { isFanStale } from './fans.ts';
import { overviewOf } from './overview.ts';
import { earlierPositions, isSamePlacement, numberGraph, type PlacedScene, refreshTasks, sceneOf } from './scene.ts';

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

const NO_CHOICE = { isOpen: () => false, staysVisible: () => false, isRevealed: () => false };

/** A task `z` that waits for ten others, `a0` to `a9`, with these fields. */
function fanGraph(fields: Readonly<Record<string, Fields>> = {}) {
  const leaves = Array.from({ length: 10 }, (_, index) => `a${index}`);
  const leaf = { blocks: ['z'], volume: 0, priority: 0, dueDate: null };
  return graphOf({ ...Object.fromEntries(leaves.map((id) => [id, Object.assign({}, leaf, fields[id])])), z: {} });
}

/** The ids of the cards. */
const idsIn = (scene: PlacedScene | ReturnType<typeof sceneOf>) => scene.ids.join(' ');

test('[CON38] the first leaves of a fan are the open ones that take longest, and the card has the others', () => {
  const scene = sceneOf(fanGraph({ a0: { status: 3 }, a4: { volume: 2 }, a7: { status: 1 } }));
  expect(idsIn(scene)).toBe('a1 a4 a7 z before:z');
  expect(scene.fans.get(4)).toEqual({
    id: 'before:z',
    task: 'z',
    side: 'before',
    leaves: ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9'],
    hidden: ['a0', 'a2', 'a3', 'a5', 'a6', 'a8', 'a9'],
  });
  expect([...scene.counts]).toEqual([1, 1, 1, 7]);
  expect(scene.tasks.map((task) => task?.id)).toEqual(['a1', 'a4', 'a7', 'z', undefined]);
  expect(scene.all.ids).toHaveLength(11);
});

test('[CON38] a fan opens by its card, and for a task that the reader goes to', () => {
  const open = sceneOf(fanGraph(), { ...NO_CHOICE, isOpen: (id) => id === 'before:z' });
  expect(open.ids).toHaveLength(12);
  expect(open.fans.get(11)?.hidden).toEqual([]);
  expect(idsIn(sceneOf(fanGraph(), { ...NO_CHOICE, isRevealed: (ids) => ids.includes('a8') }))).toBe(idsIn(open));
});

test('[CON38] a fan that opens has its leaves below each other, and others of the column make room', () => {
  const graph = fanGraph();
  for (const id of ['b1', 'b2']) {
    graph.nodes.set(id, { id, version: 1, title: id, status: 0 } as Entity);
    graph.links.set(`${id}y`, { id: `${id}y`, version: 1, source: id, target: 'y', type: 0 } as Entity);
  }
  graph.nodes.set('y', { id: 'y', version: 1, title: 'y', status: 0 } as Entity);
  const folded = sceneOf(graph);
  const rowOf = ({ numberOf }: typeof folded, rows: Float64Array, id: string) => rows[numberOf.get(id) as number];
  const ids = ['b1', 'a0', 'a1', 'a2', 'before:z', 'b2'];
  const layout = newLayout(folded.graph);
  // As if one other card was above and one below.
  ids.forEach((id, place) => {
    const number = folded.numberOf.get(id) as number;
    layout.columns[number] = 0;
    layout.rows[number] = place * ROW_HEIGHT;
  });
  const [z, y] = [folded.numberOf.get('z') as number, folded.numberOf.get('y') as number];
  [layout.columns[z], layout.rows[z], layout.columns[y], layout.rows[y]] = [1, 2.5 * ROW_HEIGHT, 1, 0];
  const open = sceneOf(graph, { ...NO_CHOICE, isOpen: () => true });
  const after = changedLayout(open.graph, earlierPositions(open, { ...folded, layout }));
  const rows = ['b1', ...Array.from({ length: 10 }, (_, leaf) => `a${leaf}`), 'before:z', 'b2'].map((id) =>
    rowOf(open, after.rows, id),
  );
  expect(rows).toEqual(rows.map((_, place) => (rows[0] as number) + place * ROW_HEIGHT));
  expect(rowOf(open, after.rows, 'z')).toBe(2.5 * ROW_HEIGHT);
  const again = changedLayout(folded.graph, earlierPositions(folded, { ...open, layout: after }));
  expect(ids.slice(1, 5).map((id) => rowOf(folded, again.rows, id))).toEqual(
    [1, 2, 3, 4].map((place) => place * ROW_HEIGHT),
  );
  // Nothing draws the others back.
  expect(rowOf(folded, again.rows, 'b1')).toBe(rows[0]);
});

test('[CON38 CON22] pinned leaves and collapsed tasks show beside the fan', () => {
  const scene = sceneOf(fanGraph({ a9: { pinned: true, x: 5, y: 6 } }));
  expect(idsIn(scene)).toBe('a0 a1 a2 a9 z before:z');
  expect([...scene.pins.nodes]).toEqual([3]);
  const collapsed = fanGraph({ a9: { collapsed: true } });
  collapsed.nodes.set('b', { id: 'b', version: 1, title: 'b', status: 0 } as Entity);
  collapsed.links.set('ba9', { id: 'ba9', version: 1, source: 'b', target: 'a9', type: 0 } as Entity);
  const both = sceneOf(collapsed);
  expect(idsIn(both)).toBe('a0 a1 a2 a9 z before:z');
  expect([...both.hiddenBelow]).toEqual([0, 0, 0, 1, 0, 0]);
});

test('[CON38] a fan is stale if other leaves come first, but not for a card at which the reader is', () => {
  const before = sceneOf(fanGraph());
  const fan = before.fans.get(4);
  if (fan === undefined) throw new Error('there is no fan');
  const staleBy = (fields: Readonly<Record<string, Fields>>, kept: string | null = null) => {
    const { nodes } = fanGraph(fields);
    return isFanStale(
      fan,
      (id) => nodes.get(id) as Task | undefined,
      (id) => id === kept,
    );
  };
  expect(staleBy({})).toBe(false);
  expect(staleBy({ a1: { status: 3 } })).toBe(true);
  expect(staleBy({ a1: { status: 3 } }, 'a1')).toBe(false);
  expect(staleBy({ a8: { status: 3 } })).toBe(false);
  expect(staleBy({ a8: { status: 1 } })).toBe(true);
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

test('[CON23] a removed task leaves the numbers of its tile, and the title at the top', () => {
  const all = numberGraph(graphOf({ a: {}, b: { status: 2, blocks: ['a'] } }));
  const overview = overviewOf(all);
  const task = all.tasks[1];
  if (task === undefined) throw new Error('there is no such task');
  overview.change(task, { ...task, status: 3 });
  expect([overview.remove('b'), overview.remove('b'), overview.remove('other')]).toEqual([true, false, false]);
  expect(overview.countsOf(0)).toEqual([1, 0, 0, 0]);
  expect(overview.scene.tasks[0]?.title).toBe('a');
  overview.remove('a');
  expect([overview.scene.tasks[0], overview.countsOf(0)]).toEqual([undefined, [0, 0, 0, 0]]);
});

test('[CON7] a task that the reader has lost since the numbering has no title in the scene', () => {
  const graph = fanGraph({ a0: { volume: 1 } });
  const scene = sceneOf(graph);
  expect(idsIn(scene)).toBe('a0 a1 a2 z before:z');
  graph.nodes.delete('a0');
  graph.nodes.set('a1', { id: 'a1', version: 2, title: 'New', status: 0 } as Entity);
  refreshTasks(scene, graph.nodes);
  expect(scene.tasks.map((task) => task?.title)).toEqual([undefined, 'New', 'a2', 'z', undefined]);
});
