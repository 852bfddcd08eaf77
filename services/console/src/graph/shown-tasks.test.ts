import { type Entity, findNodes, type NodeSearch, TaskgraphError } from '@taskgraph/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBoardColumns } from './board-columns.ts';
import { parseFilter, searchOf } from './filter.ts';
import { createShownTasks } from './shown-tasks.ts';
import { linkOf } from './task.ts';

type Listener = (event: never) => void;

/** A graph that reports its changes as a replica does. */
function changingGraph() {
  const [nodes, links] = [new Map<string, Entity>(), new Map<string, Entity>()];
  const listeners = new Map<string, Set<Listener>>();
  const emit = (kind: string, event: object) => {
    for (const listener of listeners.get(kind) ?? []) listener(event as never);
  };
  const find = ({ root }: { root?: string }) => {
    if (root === undefined || !nodes.has(root))
      throw new TaskgraphError({ code: 'not_found', message: 'no root', traceId: null });
    const found = new Set([root]);
    // The loop also visits the nodes that it adds.
    for (const id of found) {
      for (const { source, target } of links.values()) {
        if (target === id && nodes.has(String(source))) found.add(String(source));
      }
    }
    return [...found].flatMap((id) => nodes.get(id) ?? []);
  };
  return {
    replica: {
      username: 'ann',
      find,
      snapshot: () => ({ nodes, links }),
      on(kind: string, listener: Listener) {
        const all = listeners.get(kind) ?? new Set();
        listeners.set(kind, all.add(listener));
        return () => all.delete(listener);
      },
    } as never,
    index: {
      outgoing: (id: string) => [...links.values()].filter(({ source }) => source === id).map(linkOf),
      incoming: (id: string) => [...links.values()].filter(({ target }) => target === id).map(linkOf),
    },
    nodes,
    links,
    set(node: Entity) {
      const before = nodes.get(node.id);
      nodes.set(node.id, node);
      emit(before === undefined ? 'node:added' : 'node:changed', { node, before });
    },
    remove(id: string) {
      const before = nodes.get(id);
      if (nodes.delete(id)) emit('node:removed', { id, before });
    },
    link(source: string, target: string) {
      const link: Entity = { id: `${source}${target}`, version: 1, source, target, type: 0 };
      if (links.has(link.id)) return;
      links.set(link.id, link);
      emit('link:added', { link });
    },
    unlink(source: string, target: string) {
      const before = links.get(`${source}${target}`);
      if (links.delete(`${source}${target}`)) emit('link:removed', { id: before?.id, before });
    },
  };
}

const task = (id: string, fields: object = {}): Entity => ({
  id,
  version: 1,
  title: id,
  description: '',
  status: 0,
  tags: [],
  assignee: [],
  priority: 0,
  volume: 0,
  dueDate: null,
  createdTime: '2026-01-01T00:00:00.000Z',
  lastEditedTime: '2026-01-01T00:00:00.000Z',
  completedTime: null,
  access: 0,
  ...fields,
});

const IDS = [...'abcdef'];
const step = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    id: fc.constantFrom(...IDS),
    status: fc.nat(3),
    tag: fc.constantFrom('web', 'app'),
    priority: fc.nat(2),
  }),
  fc.record({ kind: fc.constant('remove' as const), id: fc.constantFrom(...IDS) }),
  fc.record({ kind: fc.constantFrom('link' as const, 'unlink' as const), ends: fc.tuple(fc.nat(5), fc.nat(5)) }),
);

test('[CON14] after any changes the shown tasks are those of the search in the scopes', async () => {
  const root = fc.constantFrom(null, 'a', 'b');
  const centre = fc.option(fc.record({ id: fc.constantFrom('b', 'd'), steps: fc.integer({ min: 1, max: 3 }) }));
  const text = fc.constantFrom('', 'tag:web', 'status:open', 'c', 'tag:app status:done');
  await fc.assert(
    fc.asyncProperty(
      root,
      centre,
      text,
      fc.array(step, { maxLength: 40 }),
      async (scope, neighbourhood, filter, steps) => {
        const graph = changingGraph();
        for (const id of IDS) graph.nodes.set(id, task(id, { tags: ['web'] }));
        const search = searchOf(parseFilter(filter));
        const shown = createShownTasks(graph.replica, graph.index, { search, root: scope, neighbourhood });
        const columns = createBoardColumns(graph.replica, shown);
        for (const each of steps) {
          if (each.kind === 'set')
            graph.set(task(each.id, { status: each.status, tags: [each.tag], priority: each.priority }));
          else if (each.kind === 'remove') graph.remove(each.id);
          else {
            const [low = 0, high = 0] = each.ends.toSorted((one, other) => one - other);
            if (low !== high) graph[each.kind](IDS[high] as string, IDS[low] as string);
          }
          await Promise.resolve();
          const all = findNodes({ nodes: graph.nodes, links: graph.links }, search ?? {}, { username: 'ann' });
          const branch = scope === null ? all : graph.nodes.has(scope) ? graphBranch(graph.replica, scope) : [];
          const inBranch = new Set(branch.map(({ id }) => id));
          const isNear = (id: string) =>
            neighbourhood === null || distance(graph, neighbourhood.id, id) <= neighbourhood.steps;
          const expected = all.map(({ id }) => id).filter((id) => inBranch.has(id) && isNear(id));
          expect([...shown.ids()].sort()).toEqual(expected.sort());
          expect(shown.count()).toBe(expected.length);
          const onBoard = [0, 1, 2, 3].flatMap((status) => columns.column(status).map(({ id }) => id));
          expect(onBoard.toSorted()).toEqual(expected);
        }
        shown.stop();
        columns.stop();
      },
    ),
  );
});

test('[CON14] a scope that no task can have is an empty branch', () => {
  const { replica, index, nodes, links } = changingGraph();
  nodes.set('a', task('a'));
  const searched = Object.assign(replica, {
    find: (search: NodeSearch) => findNodes({ nodes, links }, search, { username: 'ann' }),
  });
  for (const root of ['', 'b', 'x'.repeat(256)]) {
    const shown = createShownTasks(searched, index, { search: null, root });
    expect([shown.count(), shown.inScope('a')]).toEqual([0, false]);
    shown.stop();
  }
});

/** The links of the shortest path between two tasks, whichever of them waits for the other. */
function distance({ nodes, links }: ReturnType<typeof changingGraph>, one: string, other: string): number {
  if (!nodes.has(one) || !nodes.has(other)) return Number.POSITIVE_INFINITY;
  if (one === other) return 0;
  const between = [...links.values()]
    .map(linkOf)
    .filter(({ source, target }) => nodes.has(source) && nodes.has(target));
  const forwards = (from: string, to: string): number =>
    from === to
      ? 0
      : Math.min(
          Number.POSITIVE_INFINITY,
          ...between.filter(({ source }) => source === from).map(({ target }) => 1 + forwards(target, to)),
        );
  return Math.min(forwards(one, other), forwards(other, one));
}

function graphBranch(replica: { find(search: { root: string }): Entity[] }, root: string): Entity[] {
  return replica.find({ root });
}

test('[CON13] a column has the most urgent first, and the last completed first', () => {
  const graph = changingGraph();
  const shown = createShownTasks(graph.replica, graph.index, { search: null, root: null });
  const columns = createBoardColumns(graph.replica, shown);
  const ids = (status: number) => columns.column(status).map(({ id }) => id);
  for (const [id, fields] of Object.entries({
    a: {},
    b: { priority: 2 },
    c: { dueDate: '2026-03-01T23:59:59.000Z' },
    d: { dueDate: '2026-02-01T23:59:59.000Z' },
    e: { status: 3, completedTime: '2026-01-01T00:00:00.000Z' },
    f: { status: 3, completedTime: '2026-01-02T00:00:00.000Z' },
    g: { status: 3 },
  }))
    graph.set(task(id, fields));
  expect([ids(0), ids(3)]).toEqual([
    ['d', 'c', 'b', 'a'],
    ['g', 'f', 'e'],
  ]);
  graph.set(task('a', { dueDate: '2026-02-15T23:59:59.000Z' }));
  graph.set(task('d', { status: 3, completedTime: '2026-01-03T00:00:00.000Z' }));
  expect([ids(0), ids(3)]).toEqual([
    ['a', 'c', 'b'],
    ['g', 'd', 'f', 'e'],
  ]);
  // So many changes are sorted together.
  for (let index = 0; index < 300; index++) graph.set(task(`x${index}`, { priority: index }));
  expect(ids(0).slice(0, 3)).toEqual(['a', 'c', 'x299']);
});
