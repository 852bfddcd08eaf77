import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collapseGraph } from './collapse.ts';

type Link = readonly [source: number, target: number, type?: number];

function collapsedGraph(count: number, links: readonly Link[], collapsed: readonly number[]) {
  const graph = {
    count,
    sources: Int32Array.from(links, ([source]) => source),
    targets: Int32Array.from(links, ([, target]) => target),
  };
  const types = Uint8Array.from(links, ([, , type = 0]) => type);
  const marks = Uint8Array.from({ length: count }, (_, node) => Number(collapsed.includes(node)));
  const result = collapseGraph(graph, types, marks);
  const name = (place: number | undefined) => result.nodes[place ?? -1] as number;
  return {
    nodes: [...result.nodes],
    links: [...result.counts].map((times, link) => [
      name(result.graph.sources[link]),
      name(result.graph.targets[link]),
      times,
      result.types[link],
    ]),
    hiddenBelow: [...result.hiddenBelow],
  };
}

test('[CON21] without collapsed nodes everything shows', () => {
  expect(
    collapsedGraph(
      3,
      [
        [1, 0],
        [2, 1, 1],
      ],
      [],
    ),
  ).toEqual({
    nodes: [0, 1, 2],
    links: [
      [1, 0, 1, 0],
      [2, 1, 1, 1],
    ],
    hiddenBelow: [0, 0, 0],
  });
});

test('[CON21] a collapsed node hides its branch, but not what another task waits for', () => {
  // 0 waits for 1, which waits for 2; 3 waits for 4; both 2 and 3 wait for 5.
  const links: Link[] = [
    [1, 0],
    [2, 1],
    [5, 2],
    [4, 3],
    [5, 3],
  ];
  const { nodes, links: left, hiddenBelow } = collapsedGraph(6, links, [0]);
  expect(nodes).toEqual([0, 3, 4, 5]);
  expect(hiddenBelow).toEqual([2, 0, 0, 0]);
  // The hidden 2 waits for 5, so the collapsed 0 does.
  expect(left).toEqual([
    [5, 0, 1, 0],
    [4, 3, 1, 0],
    [5, 3, 1, 0],
  ]);
});

test('[CON21] links to hidden nodes are one link with their number, primary if one of them is', () => {
  const links: Link[] = [
    [1, 0],
    [2, 0],
    [3, 1, 1],
    [3, 2],
    [3, 4],
  ];
  expect(collapsedGraph(5, links, [0]).links).toEqual([
    [3, 0, 2, 0],
    [3, 4, 1, 0],
  ]);
});

test('[CON21] what two collapsed nodes share counts for both, and no link leads from one to the other', () => {
  const links: Link[] = [
    [2, 0],
    [2, 1],
    [3, 2],
  ];
  const { nodes, links: left, hiddenBelow } = collapsedGraph(4, links, [0, 1]);
  expect(nodes).toEqual([0, 1]);
  expect(left).toEqual([]);
  expect(hiddenBelow).toEqual([2, 2]);
});

test('[CON21] secondary links hide nothing', () => {
  expect(collapsedGraph(2, [[1, 0, 1]], [0]).nodes).toEqual([0, 1]);
});

const acyclic = fc
  .tuple(fc.integer({ min: 2, max: 25 }), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 50 }))
  .chain(([count, pairs]) => {
    const links = pairs
      .map(([one, other]): Link => [Math.max(one % count, other % count), Math.min(one % count, other % count)])
      .filter(([source, target]) => source !== target);
    return fc.tuple(fc.constant({ count, links }), fc.subarray(Array.from({ length: count }, (_, node) => node)));
  });

test('[CON21] a node shows if a way from a task that nothing waits for reaches it past no collapsed one', () => {
  fc.assert(
    fc.property(acyclic, ([{ count, links }, collapsed]) => {
      const { nodes, links: left } = collapsedGraph(count, links, collapsed);
      const isShown = (node: number): boolean => {
        const parents = links.filter(([source]) => source === node).map(([, target]) => target);
        return parents.length === 0 || parents.some((parent) => !collapsed.includes(parent) && isShown(parent));
      };
      expect(nodes).toEqual(Array.from({ length: count }, (_, node) => node).filter(isShown));
      // Still without cycles: each link leads to a task with a lower number, which waits for its source.
      for (const [source = 0, target = 0] of left) expect(source).toBeGreaterThan(target);
    }),
  );
});
