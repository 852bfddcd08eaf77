// Tests of the order of a graph, its cycles and its losses.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../caller.ts';
import { branchOf, exportGraph, readContent } from './graph-content.ts';
import { orderGraph } from './graph-order.ts';
import { createLossReport } from './loss-report.ts';
import { fitNode } from './node-draft.ts';
import { BrokenFile, EMPTY_FIELDS, TRANSFER_BOUNDS, type TransferGraph, type TransferNode } from './transfer-graph.ts';

const node = (key: string, fields: Partial<TransferNode> = {}): TransferNode => ({
  ...EMPTY_FIELDS,
  key,
  line: null,
  title: key,
  ...fields,
});
const link = (source: string, target: string, type: 0 | 1 = 0) => ({ source, target, type, private: false });
const graph = (nodes: readonly TransferNode[], links: TransferGraph['links']): TransferGraph => ({
  nodes,
  links,
  leftOut: [],
});
const losses = (nodes: readonly TransferNode[], links: TransferGraph['links']) =>
  orderGraph(graph(nodes, links)).leftOut.map(({ what, places }) => `${what}: ${places.join(', ')}`);

test('[IO1] files without a cycle are ordered, and those with one are refused', () => {
  const ends = fc.tuple(fc.nat(9), fc.nat(9));
  const property = fc.property(fc.nat(9), fc.array(ends, { maxLength: 20 }), (most, drawn) => {
    const keys = Array.from({ length: most + 1 }, (_, index) => String(index));
    const links = drawn
      .filter(([source, target]) => source <= most && target <= most && source !== target)
      .map(([source, target]) => link(String(source), String(target)));
    let order: string[];
    try {
      order = orderGraph(
        graph(
          keys.map((key) => node(key)),
          links,
        ),
      ).nodes.map(({ key }) => key);
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenFile);
      // Removing all nodes without blockers, repeatedly, leaves only cycles.
      let left = new Set(keys);
      for (const _ of keys)
        left = new Set(
          [...left].filter((key) => links.some(({ source, target }) => target === key && left.has(source))),
        );
      expect(left.size).toBeGreaterThan(0);
      return;
    }
    expect([...order].sort()).toEqual([...keys].sort());
    for (const { source, target } of links) expect(order.indexOf(source)).toBeLessThan(order.indexOf(target));
  });
  fc.assert(property, { numRuns: runs(500) });
});

test('[IO1] a valid order does not change, however deep the chain is', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => String(index));
  const chain = keys.slice(1).map((key, index) => link(String(index), key));
  const there = orderGraph(
    graph(
      keys.map((key) => node(key)),
      chain,
    ),
  ).nodes.map(({ key }) => key);
  expect(there).toEqual(keys);
  const reversed = orderGraph(
    graph(
      keys.toReversed().map((key) => node(key)),
      chain,
    ),
  ).nodes.map(({ key }) => key);
  expect(reversed).toEqual(keys);
});

test('[IO2] a cycle is refused, and the message names its nodes, or the first nodes of a long one', () => {
  const [a, b, c] = [node('a', { line: 3 }), node('b'), node('c')];
  expect(() => orderGraph(graph([a, b, c], [link('a', 'b'), link('b', 'c'), link('c', 'a')]))).toThrow(
    'line 3: tasks wait for each other in a cycle: "a" (line 3) waits for "c" waits for "b" waits for "a" (line 3)',
  );
  const keys = Array.from({ length: 100 }, (_, index) => String(index));
  const around = keys.map((key, index) => link(key, String((index + 1) % 100)));
  expect(() =>
    orderGraph(
      graph(
        keys.map((key) => node(key)),
        around,
      ),
    ),
  ).toThrow('waits for 88 more waits for "0"');
  // Secondary links make no cycle.
  expect(orderGraph(graph([a, b], [link('a', 'b'), link('b', 'a', 1)])).links).toEqual([link('a', 'b')]);
});

test('[IO2] links that no graph can have are reported', () => {
  expect(
    losses([node('a'), node('b')], [link('a', 'a'), link('a', 'b'), link('a', 'b'), link('b', 'a', 1), link('a', 'x')]),
  ).toEqual([
    'a link of a task to itself: "a" → "a"',
    'a second link between two tasks: "a" → "b", "b" → "a"',
    'a link to or from a task that is not in the file: "a" → "x"',
  ]);
});

test('[IO2 BLK2 BLK3] a status that contradicts the links is reported', () => {
  const nodes = [
    node('a', { status: 3 }),
    node('b', { status: 3 }),
    node('c'),
    node('d', { status: 2 }),
    node('e', { status: 2 }),
    node('f', { status: 3, independent: true }),
  ];
  expect(losses(nodes, [link('a', 'b'), link('c', 'd'), link('c', 'f')])).toEqual([
    'the status Blocked of a task without an open blocker in the file: "e"',
  ]);
  expect(losses(nodes, [link('c', 'a'), link('a', 'b'), link('c', 'd'), link('c', 'e')])).toEqual([
    'the status Completed of a task with an open blocker: "a", "b"',
  ]);
});

test('[IO2] files beyond the bounds are refused', () => {
  const many = Array.from({ length: TRANSFER_BOUNDS.nodes + 1 }, (_, index) => node(String(index)));
  expect(() => orderGraph(graph(many, []))).toThrow(`it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
});

test('[IO2 NODE2] long texts are cut between characters, and the loss is reported', () => {
  const report = createLossReport();
  const fitted = fitNode(
    {
      key: 'a',
      line: 7,
      title: `\n${'x'.repeat(499)}𝕊\n`,
      description: 'a\0\ud800',
      tags: ['x', 'x', '', 'y'.repeat(101)],
      priority: -3,
      volume: 2e9,
      assignee: [],
    },
    report,
  );
  expect(fitted).toMatchObject({
    title: 'x'.repeat(499),
    description: 'a\ufffd',
    tags: ['x'],
    priority: 0,
    volume: 1_000_000,
  });
  expect(report.list().map(({ what }) => what)).toEqual([
    'the end of a title of more than 500 characters',
    'characters that cannot be stored',
    'a tag that is too long, or one too many',
    'a priority out of bounds',
    'a volume out of bounds',
  ]);
  const rounded = createLossReport();
  expect(fitNode({ key: 'b', line: 3, title: 'b', volume: 2.6, priority: 5 }, rounded)).toMatchObject({ volume: 3 });
  expect(rounded.list()).toEqual([
    { what: 'the fraction of a volume, which is rounded', count: 1, places: ['"b" (line 3)'] },
  ]);
});

test('a branch has all nodes from which links lead to its root, and links out of it are reported', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ id, title: id, status: 0 as const }));
  const links = [
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'd'],
  ].map(([source = '', target = ''], index) => ({
    id: String(index),
    source,
    target,
    type: 0 as const,
    private: false,
  }));
  const part = exportGraph(branchOf({ nodes: [a, b, c, d].flatMap((each) => each ?? []), links }, 'b'));
  expect(part.nodes.map(({ title }) => title)).toEqual(['a', 'b']);
  expect(part.leftOut.map(({ what, places }) => [what, places])).toEqual([
    ['a link to or from a task that is not in the export', ['b → c', 'a → d']],
  ]);
});

test('[ACL11 IO2] an export reports grants that the service does not show', async () => {
  const pageOf = (more: object) => ({ nodes: [], links: [], hasMore: false, next: null, ...more });
  for (const [more, reported] of [
    [{ truncated: true }, ['grants beyond the number that the service shows']],
    [{}, []],
  ] as const) {
    const content = await readContent({ call: async () => pageOf(more) } as unknown as Caller);
    expect(exportGraph(content).leftOut.map(({ what }) => what)).toEqual(reported);
  }
});
