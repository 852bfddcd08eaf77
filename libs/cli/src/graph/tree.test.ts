// Walks over graphs in which nodes hang in many places: each costs the number of nodes and links.
import { expect, test } from 'vitest';
import { treeLines } from '../output/nodes.ts';
import type { Output } from '../output/output.ts';
import type { Paint } from '../output/paint.ts';
import { graphWith } from '../test/support/graphs.ts';
import type { Graph, Task } from './graph.ts';
import { topsOf } from './questions.ts';
import { isBelow, nestedTree, type TreeNode, treeOf } from './tree.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `n${index}` }));

/** A top, and below it levels of two nodes of which each hangs below both of the level above: 2^levels ways lead down. */
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

/** The same graph, which counts how often a node's children are asked for. */
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

test('a tree tells what hangs in two places once, and a circle no further', () => {
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
  const linesOf = (deepest: number) =>
    [...treeOf(graph, topsOf(graph), deepest)].map(({ node, depth, children }) => [depth, node.title, children]);
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

test('what was too deep at one place is shown at another that is not', () => {
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
  const lines = [...treeOf(graph, topsOf(graph), 3)].map(({ node, children }) => `${node.title} ${children}`);
  expect(lines).toEqual(['top all', 'a all', 'b all', 'z cut', 'z all', 'leaf all']);
});

test('a ladder of diamonds is walked once, as lines and as JSON', () => {
  const LEVELS = 500;
  const { graph, walked } = counted(ladder(LEVELS));
  const tops = [firstOf(graph)];
  const nodes = 2 * LEVELS + 1;
  // Each node in full once, and once more below the second of the two that it hangs below.
  expect([...treeLines(treeOf(graph, tops, 1_000), graph, output)]).toHaveLength(2 * nodes - 3);
  // The two leaves are asked at each of their two places.
  const once = nodes + 2;
  expect(walked()).toBe(once);
  const json = JSON.stringify(nestedTree(graph, tops, 1_000));
  expect(json.match(/"title"/g)).toHaveLength(2 * nodes - 3);
  expect(walked()).toBe(2 * once);
});

test('the first lines of a tree cost nothing of the rest', () => {
  const { graph, walked } = counted(ladder(500));
  const lines = treeLines(treeOf(graph, [firstOf(graph)], 1_000), graph, output);
  for (let line = 0; line < 10; line++) expect(lines.next().done).toBe(false);
  expect(walked()).toBe(10);
});

test('a chain of 8,000 is told in lines that end', () => {
  const graph = chain(8_000);
  const lines = [...treeLines(treeOf(graph, [firstOf(graph)], Number.POSITIVE_INFINITY), graph, output)];
  expect(lines).toHaveLength(8_000);
  expect(lines[1]).toMatch(/^└─ \S+ Available n1$/);
  expect(lines[7_999]).toMatch(/^7999: +└─ \S+ Available n7999$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(160);
});

test('JSON says which children stand elsewhere', () => {
  const [top] = nestedTree(ladder(3), [firstOf(ladder(3))], 64) as [TreeNode];
  const shape = ({ title, children, repeated, cut }: TreeNode): unknown => ({
    ...{ title, children: children.map(shape) },
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

test('a node is below another where a way of links leads there', () => {
  const graph = ladder(300);
  const idOf = (title: string) => [...graph.nodes.values()].find((node) => node.title === title)?.id as string;
  expect(isBelow(graph, idOf('b299'), idOf('a5'))).toBe(true);
  expect(isBelow(graph, idOf('a5'), idOf('b299'))).toBe(false);
  expect(isBelow(graph, 'nowhere', idOf('top'))).toBe(false);
});
