// Traversals of graphs in which nodes have many parents. Each is linear in nodes and links.
import { expect, test } from 'vitest';
import { treeLines } from '../output/nodes.ts';
import type { Output } from '../output/output.ts';
import type { Paint } from '../output/paint.ts';
import { graphWith } from '../test/support/graphs.ts';
import type { Graph, Task } from './graph.ts';
import { rootsOf } from './queries.ts';
import { isBelow, nestedTree, type TreeNode, treeOf } from './tree.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `n${index}` }));

/**
 * A top node, and levels of two nodes, each a child of both nodes above: there are 2^levels paths.
 */
function ladder(levels: number): Graph {
  const pairs = Array.from({ length: levels }, (_, level) => [`a${level}`, `b${level}`] as const);
  const links = pairs.flatMap((pair, level) => {
    const above = pairs[level - 1] ?? ['top'];
    return pair.flatMap((title) => above.map((parent) => [title, parent] as const));
  });
  return graphWith([{ title: 'top' }, ...pairs.flat().map((title) => ({ title }))], links);
}

function chain(count: number): Graph {
  const nodes = numbered(count);
  return graphWith(
    nodes,
    nodes.slice(1).map(({ title }, index) => [title, `n${index}`]),
  );
}

/** The same graph, with a counter of the requests for the children of a node. */
function counted(graph: Graph): { graph: Graph; walked: () => number } {
  let walked = 0;
  const linksTo = (id: string) => {
    walked++;
    return graph.linksTo(id);
  };
  return { graph: { ...graph, linksTo }, walked: () => walked };
}

const plain = new Proxy({}, { get: () => (text: string) => text }) as Paint;
const output = { paint: plain } as Output;
const firstOf = (graph: Graph) => graph.nodes.values().next().value as Task;

test('a tree expands a node with two parents once, and stops at a cycle', () => {
  const graph = graphWith(
    [{ title: 'top' }, { title: 'left' }, { title: 'right' }, { title: 'both' }, { title: 'leaf' }],
    [
      ['left', 'top'],
      ['right', 'top'],
      ['both', 'left'],
      ['both', 'right'],
      ['leaf', 'both'],
      ['both', 'leaf', 1],
    ],
  );
  const linesOf = (maximumDepth: number) =>
    [...treeOf(graph, rootsOf(graph), maximumDepth)].map(({ node, depth, children }) => [depth, node.title, children]);
  expect(linesOf(64)).toEqual([
    [0, 'top', 'all'],
    [1, 'left', 'all'],
    [2, 'both', 'all'],
    [3, 'leaf', 'all'],
    [4, 'both', 'repeated'],
    [1, 'right', 'all'],
    [2, 'both', 'repeated'],
  ]);
  expect(linesOf(1)).toEqual([
    [0, 'top', 'all'],
    [1, 'left', 'cut'],
    [1, 'right', 'cut'],
  ]);
});

test('a branch that is too deep at one place is expanded at another', () => {
  const graph = graphWith(
    [{ title: 'top' }, { title: 'a' }, { title: 'b' }, { title: 'z' }, { title: 'leaf' }],
    [
      ['a', 'top'],
      ['b', 'a'],
      ['z', 'b'],
      ['z', 'top'],
      ['leaf', 'z'],
    ],
  );
  const lines = [...treeOf(graph, rootsOf(graph), 3)].map(({ node, children }) => `${node.title} ${children}`);
  expect(lines).toEqual(['top all', 'a all', 'b all', 'z cut', 'z all', 'leaf all']);
});

test('a chain of diamonds is traversed once, as lines and as JSON', () => {
  const LEVELS = 500;
  const { graph, walked } = counted(ladder(LEVELS));
  const tops = [firstOf(graph)];
  const nodes = 2 * LEVELS + 1;
  // Each node appears once in full, and once more below its second parent.
  expect([...treeLines(treeOf(graph, tops, 1_000), graph, output)]).toHaveLength(2 * nodes - 3);
  // The two leaves are queried at both of their places.
  const once = nodes + 2;
  expect(walked()).toBe(once);
  const json = JSON.stringify(nestedTree(graph, tops, 1_000));
  expect(json.match(/"title"/g)).toHaveLength(2 * nodes - 3);
  expect(walked()).toBe(2 * once);
});

test('the first lines of a tree do not traverse the rest', () => {
  const { graph, walked } = counted(ladder(500));
  const lines = treeLines(treeOf(graph, [firstOf(graph)], 1_000), graph, output);
  for (let line = 0; line < 10; line++) expect(lines.next().done).toBe(false);
  expect(walked()).toBe(10);
});

test('a chain of 8,000 nodes prints lines of bounded length', () => {
  const graph = chain(8_000);
  const lines = [...treeLines(treeOf(graph, [firstOf(graph)], Number.POSITIVE_INFINITY), graph, output)];
  expect(lines).toHaveLength(8_000);
  expect(lines[1]).toMatch(/^└─ \S+ Available n1$/);
  expect(lines[7_999]).toMatch(/^7999: +└─ \S+ Available n7999$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(160);
});

test('JSON marks children that are listed elsewhere', () => {
  const [top] = nestedTree(ladder(3), [firstOf(ladder(3))], 64) as [TreeNode];
  const shape = ({ title, children, repeated, cut }: TreeNode): unknown => ({
    title,
    children: children.map(shape),
    ...(repeated && { repeated }),
    ...(cut && { cut }),
  });
  const leaf = (title: string) => ({ title, children: [] });
  const repeated = (title: string) => ({ ...leaf(title), repeated: true });
  const BOTTOM = new Map([
    ['a1', [leaf('a2'), leaf('b2')]],
    ['b1', [leaf('a2'), leaf('b2')]],
  ]);
  expect(shape(top)).toEqual({
    title: 'top',
    children: [
      { title: 'a0', children: ['a1', 'b1'].map((title) => ({ title, children: BOTTOM.get(title) })) },
      { title: 'b0', children: [repeated('a1'), repeated('b1')] },
    ],
  });
});

test('a node is below another if a path of links leads there', () => {
  const graph = ladder(300);
  const idOf = (title: string) => [...graph.nodes.values()].find((node) => node.title === title)?.id as string;
  expect(isBelow(graph, idOf('b299'), idOf('a5'))).toBe(true);
  expect(isBelow(graph, idOf('a5'), idOf('b299'))).toBe(false);
  expect(isBelow(graph, 'nowhere', idOf('top'))).toBe(false);
});
