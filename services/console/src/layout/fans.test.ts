import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_LEAVES, fansOf, firstLeaves, foldFans, LEAST_LEAVES } from './fans.ts';
import { newLayout } from './layout.ts';
import { ROW_HEIGHT } from './rows.ts';

type Link = readonly [source: number, target: number, type?: number, count?: number];

function graphOf(count: number, links: readonly Link[]) {
  return {
    graph: {
      count,
      sources: Int32Array.from(links, ([source]) => source),
      targets: Int32Array.from(links, ([, target]) => target),
    },
    types: Uint8Array.from(links, ([, , type = 0]) => type),
    counts: Int32Array.from(links, ([, , , times = 1]) => times),
  };
}

const fansIn = (count: number, links: readonly Link[], isLeaf: (node: number) => boolean = () => true) =>
  fansOf(graphOf(count, links), isLeaf);

/** `number` leaves that node 0 waits for, from node `first` on. */
const leavesBefore = (first: number, number: number): Link[] =>
  Array.from({ length: number }, (_, index): Link => [first + index, 0]);

describe('fans', () => {
  test('[CON38] are at least eight leaves on one side of a node', () => {
    expect(fansIn(8, leavesBefore(1, 7))).toEqual([]);
    expect(fansIn(9, leavesBefore(1, 8))).toEqual([{ node: 0, side: 'before', leaves: [1, 2, 3, 4, 5, 6, 7, 8] }]);
    const after = leavesBefore(1, 8).map(([leaf, node]): Link => [node, leaf]);
    expect(fansIn(9, after)).toEqual([{ node: 0, side: 'after', leaves: [1, 2, 3, 4, 5, 6, 7, 8] }]);
    // Four on each side are two small groups.
    const both = leavesBefore(1, 8).map(([leaf, node], index): Link => (index < 4 ? [leaf, node] : [node, leaf]));
    expect(fansIn(9, both)).toEqual([]);
  });

  test('[CON38] have no node with another link, a secondary one, or several in one line', () => {
    const leaves = leavesBefore(1, 8);
    expect(fansIn(10, [...leaves, [8, 9]])).toEqual([]);
    expect(fansIn(10, [...leaves, [9, 8, 1]])).toEqual([]);
    expect(fansIn(9, [...leaves.slice(1), [1, 0, 1]])).toEqual([]);
    expect(fansIn(9, [...leaves.slice(1), [1, 0, 0, 2]])).toEqual([]);
    expect(fansIn(9, leaves, (node) => node !== 8)).toEqual([]);
    expect(fansIn(10, [...leavesBefore(1, 9)], (node) => node !== 9)[0]?.leaves).not.toContain(9);
  });

  test('[CON38] have one card for the leaves that do not show, or for all of them in place', () => {
    const given = graphOf(11, [...leavesBefore(1, 9), [0, 10]]);
    const fans = fansOf(given, () => true);
    const folded = foldFans(given, fans, [[4, 5, 6, 7, 8, 9]]);
    expect([...folded.nodes]).toEqual([0, 1, 2, 3, 10]);
    expect([...folded.graph.sources]).toEqual([1, 2, 3, 0, 5]);
    expect([...folded.graph.targets]).toEqual([0, 0, 0, 4, 0]);
    expect([...folded.counts]).toEqual([1, 1, 1, 1, 6]);
    const open = foldFans(given, fans, [[]]);
    expect([...open.nodes]).toEqual([...Array(11).keys()]);
    // The line to the card of an open fan is not drawn.
    expect([open.graph.sources.at(-1), open.graph.targets.at(-1), open.counts.at(-1)]).toEqual([11, 0, 0]);
  });
});

test('[CON38] the first leaves are those that an order puts first', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50), { minLength: 3 }), (leaves) => {
      const sorted = [...leaves].sort((one, other) => other - one).slice(0, FIRST_LEAVES);
      expect(firstLeaves(leaves, (one, other) => one > other)).toEqual(sorted);
    }),
  );
});

/** Random graphs without cycles, in which some nodes have fans. */
const fanned = fc
  .record({
    count: fc.integer({ min: 1, max: 12 }),
    pairs: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }),
    fans: fc.array(fc.record({ node: fc.nat(), leaves: fc.integer({ min: 5, max: 15 }), isBefore: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    }),
    open: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
  })
  .map(({ count, pairs, fans, open }) => {
    const links = pairs
      .map(([one, other]): Link => [Math.min(one % count, other % count), Math.max(one % count, other % count)])
      .filter(([source, target]) => source !== target);
    let nodes = count;
    for (const { node, leaves, isBefore } of fans) {
      for (let leaf = 0; leaf < leaves; leaf++, nodes++) {
        links.push(isBefore ? [nodes, node % count] : [node % count, nodes]);
      }
    }
    return { count: nodes, links, open };
  });

test('[CON38] each node is shown or stands behind one card, and a layout has each fan in one column', () => {
  fc.assert(
    fc.property(fanned, ({ count, links, open }) => {
      const given = graphOf(count, links);
      const fans = fansOf(given, () => true);
      for (const { leaves } of fans) expect(leaves.length).toBeGreaterThanOrEqual(LEAST_LEAVES);
      const hidden = fans.map(({ leaves }, index) => (open[index] === true ? [] : leaves.slice(FIRST_LEAVES)));
      const { nodes, graph, counts } = foldFans(given, fans, hidden);
      expect([...nodes, ...hidden.flat()].sort((one, other) => one - other)).toEqual([...Array(count).keys()]);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(links.length);
      expect(graph.count).toBe(nodes.length + fans.length);

      const { columns, rows } = newLayout(graph);
      const placeOf = new Map([...nodes].map((node, place) => [node, place]));
      fans.forEach(({ node, side, leaves }, index) => {
        const card = nodes.length + index;
        const own = placeOf.get(node) as number;
        const shown = [...leaves.flatMap((leaf) => placeOf.get(leaf) ?? []), card];
        expect(new Set(shown.map((place) => columns[place])).size).toBe(1);
        const distance = (columns[own] as number) - (columns[card] as number);
        expect(Math.sign(distance)).toBe(side === 'before' ? 1 : -1);
      });
      for (const column of new Set(columns)) {
        const own = [...rows].filter((_, place) => columns[place] === column);
        const sorted = own.sort((one, other) => one - other);
        sorted.forEach((row, index) => {
          if (index > 0) expect(row - (sorted[index - 1] as number)).toBeGreaterThan(ROW_HEIGHT - 0.01);
        });
      }
    }),
  );
});
