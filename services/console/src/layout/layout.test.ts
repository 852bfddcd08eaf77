import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphArrays } from './graph-arrays.ts';
import { changedLayout, type Layout, NO_COLUMN, newLayout } from './layout.ts';
import { CARD_WIDTH, ROW_HEIGHT } from './rows.ts';

type Link = readonly [source: number, target: number];

function graphOf(count: number, links: readonly Link[]): GraphArrays {
  return {
    count,
    sources: Int32Array.from(links, ([source]) => source),
    targets: Int32Array.from(links, ([, target]) => target),
  };
}

/** Random directed graphs without cycles: each link goes to a node with a higher number. */
const acyclic = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 80 }))
  .map(([count, pairs]) => {
    const links = pairs
      .map(([one, other]): Link => {
        const ends = [one % count, other % count].sort((first, second) => first - second);
        return [ends[0] as number, ends[1] as number];
      })
      .filter(([source, target]) => source !== target);
    return { count, links };
  });

/** A plan of about the shape of real ones: tasks wait for a few others close to them. */
function planOf(count: number, seed: number): Link[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const links: Link[] = [];
  for (let node = 1; node < count; node++) {
    const number = random() < 0.6 ? 1 : 2;
    for (let link = 0; link < number; link++) {
      links.push([Math.max(0, node - 1 - Math.floor(random() ** 2 * 60)), node]);
    }
  }
  return links;
}

function checkPlaces({ count, links }: { count: number; links: readonly Link[] }, layout: Layout): void {
  for (const [source, target] of links) {
    expect(layout.columns[source]).toBeLessThan(layout.columns[target] as number);
  }
  const rowsOf = new Map<number, number[]>();
  for (let node = 0; node < count; node++) {
    const column = layout.columns[node] as number;
    rowsOf.set(column, [...(rowsOf.get(column) ?? []), layout.rows[node] as number]);
  }
  for (const rows of rowsOf.values()) {
    rows.sort((one, other) => one - other);
    for (const [index, row] of rows.entries()) {
      if (index > 0) expect(row - (rows[index - 1] as number)).toBeGreaterThan(ROW_HEIGHT - 0.01);
    }
  }
  links.forEach(([source, target], link) => {
    const bends = (layout.bendOffsets[link + 1] as number) - (layout.bendOffsets[link] as number);
    const columnsBetween = (layout.columns[target] as number) - (layout.columns[source] as number) - 1;
    expect([0, columnsBetween]).toContain(bends);
  });
}

describe('a new layout', () => {
  test('leads links to the right, and cards do not overlap', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        checkPlaces(graph, newLayout(graphOf(graph.count, graph.links)));
      }),
    );
  });

  test('is the same each time', () => {
    const graph = graphOf(500, planOf(500, 7));
    expect(newLayout(graph)).toEqual(newLayout(graph));
  });

  test('of a chain is a straight line', () => {
    const { columns, rows } = newLayout(
      graphOf(4, [
        [0, 1],
        [1, 2],
        [2, 3],
      ]),
    );
    expect([...columns]).toEqual([0, 1, 2, 3]);
    expect(new Set(rows).size).toBe(1);
  });

  test('of a graph with a cycle cuts it', () => {
    const { columns } = newLayout(
      graphOf(3, [
        [0, 1],
        [1, 2],
        [2, 0],
      ]),
    );
    expect([...columns]).toEqual([0, 1, 2]);
  });

  test('of nothing is empty', () => {
    expect(newLayout(graphOf(0, [])).columns).toHaveLength(0);
  });
});

describe('a layout after a change', () => {
  test('leads links to the right, and cards do not overlap', () => {
    const changed = acyclic.chain((graph) =>
      fc.tuple(fc.constant(graph), fc.nat(graph.count - 1), fc.nat(graph.links.length)),
    );
    fc.assert(
      fc.property(changed, ([graph, oldNodes, oldLinks]) => {
        const links = graph.links.slice(0, oldLinks).filter((ends) => Math.max(...ends) <= oldNodes);
        const { columns, rows } = newLayout(graphOf(oldNodes + 1, links));
        const earlier = {
          columns: Int32Array.from({ length: graph.count }, (_, node) => columns[node] ?? NO_COLUMN),
          rows: Float64Array.from({ length: graph.count }, (_, node) => rows[node] ?? Number.NaN),
        };
        checkPlaces(graph, changedLayout(graphOf(graph.count, graph.links), earlier));
      }),
    );
  });

  test('moves nothing if nothing has changed', () => {
    const graph = graphOf(300, planOf(300, 3));
    const { columns, rows } = newLayout(graph);
    const again = changedLayout(graph, { columns, rows });
    expect([...again.columns]).toEqual([...columns]);
    for (const [node, row] of again.rows.entries()) expect(row).toBeCloseTo(rows[node] as number, 3);
  });

  test('by one link moves at most one in twenty nodes by more than a row', () => {
    const links = planOf(1_000, 11);
    const before = newLayout(graphOf(1_000, links));
    const shares: number[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const added: Link = [turn * 37, turn * 37 + 150];
      const after = changedLayout(graphOf(1_000, [...links, added]), before);
      const moved = [...after.rows].filter((row, node) => {
        const columns = Math.abs((after.columns[node] as number) - (before.columns[node] as number));
        return columns > 0 || Math.abs(row - (before.rows[node] as number)) > ROW_HEIGHT;
      });
      shares.push(moved.length / 1_000);
    }
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.05);
  });
});

describe('a layout with pinned nodes', () => {
  const isApart = (layout: Layout, one: number, other: number) =>
    Math.abs((layout.xs[one] as number) - (layout.xs[other] as number)) >= CARD_WIDTH ||
    Math.abs((layout.rows[one] as number) - (layout.rows[other] as number)) > ROW_HEIGHT - 0.01;

  test('[CON22] leaves them where they are, and other cards make room', () => {
    const pinned = acyclic.chain((graph) =>
      fc.tuple(
        fc.constant(graph),
        fc.uniqueArray(fc.nat(graph.count - 1), { maxLength: 4 }),
        fc.array(fc.integer({ min: -300, max: 1_500 }), { minLength: 8, maxLength: 8 }),
      ),
    );
    fc.assert(
      fc.property(pinned, ([{ count, links }, nodes, places]) => {
        const pins = {
          nodes: Int32Array.from(nodes),
          xs: Float64Array.from(nodes, (_, index) => places[index] as number),
          ys: Float64Array.from(nodes, (_, index) => places[index + 4] as number),
        };
        const graph = graphOf(count, links);
        const layout = changedLayout(graph, newLayout(graph), pins);
        nodes.forEach((node, index) => {
          expect([layout.xs[node], layout.rows[node]]).toEqual([pins.xs[index], pins.ys[index]]);
        });
        for (let one = 0; one < count; one++) {
          for (let other = 0; other < one; other++) {
            if (nodes.includes(one) && nodes.includes(other)) continue;
            expect(isApart(layout, one, other)).toBe(true);
          }
        }
        for (const [source, target] of links) {
          if (nodes.includes(source) || nodes.includes(target)) continue;
          expect(layout.columns[source]).toBeLessThan(layout.columns[target] as number);
        }
      }),
    );
  });

  test('[CON22] far away from the others moves none of them', () => {
    const graph = graphOf(300, planOf(300, 3));
    const before = newLayout(graph);
    const pins = { nodes: Int32Array.of(7), xs: Float64Array.of(123), ys: Float64Array.of(-5_000) };
    const after = changedLayout(graph, before, pins);
    for (let node = 0; node < 300; node++) {
      if (node === 7) continue;
      expect(after.xs[node]).toBe(before.xs[node]);
      expect(after.rows[node]).toBeCloseTo(before.rows[node] as number, 3);
    }
  });

  test('[CON22] that are the first to be placed has them in place', () => {
    const graph = graphOf(2, [[0, 1]]);
    const none = { columns: new Int32Array(2).fill(NO_COLUMN), rows: new Float64Array(2).fill(Number.NaN) };
    const pins = { nodes: Int32Array.of(0), xs: Float64Array.of(50), ys: Float64Array.of(400) };
    const { xs, rows } = changedLayout(graph, none, pins);
    expect([xs[0], rows[0]]).toEqual([50, 400]);
  });
});
