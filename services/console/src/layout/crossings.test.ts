// The links of our layout cross about as seldom as those of dagre's, which may take much longer.
import dagre from '@dagrejs/dagre';
import { expect, test } from 'vitest';
import { FIRST_LEAVES, fansOf, foldFans } from './fans.ts';
import { newLayout } from './layout.ts';
import { CARD_HEIGHT, CARD_WIDTH, COLUMN_WIDTH } from './rows.ts';

interface Link {
  readonly source: number;
  readonly target: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A link as it is drawn. */
interface Line extends Link {
  readonly points: readonly Point[];
}

const GRAPHS = 60;
const GRAPHS_WITH_FANS = 20;

/** Small random graphs without cycles, each with its own seed. */
function randomGraph(seed: number): { readonly count: number; readonly links: readonly Link[] } {
  let state = seed + 1;
  const random = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const count = 8 + random(17);
  const pairs = new Set<number>();
  for (let link = 0; link < count + random(count); link++) {
    const [one, other] = [random(count), random(count)];
    if (one !== other) pairs.add(Math.min(one, other) * count + Math.max(one, other));
  }
  return { count, links: [...pairs].map((pair) => ({ source: Math.floor(pair / count), target: pair % count })) };
}

function ourLines(count: number, links: readonly Link[]): Line[] {
  const { xs, columns, rows, bendOffsets, bendRows } = newLayout({
    count,
    sources: Int32Array.from(links, ({ source }) => source),
    targets: Int32Array.from(links, ({ target }) => target),
  });
  const centre = (node: number): Point => ({ x: xs[node] as number, y: rows[node] as number });
  return links.map(({ source, target }, link) => {
    const bends = bendRows.slice(bendOffsets[link], bendOffsets[link + 1]);
    const points = [...bends].map((y, bend) => ({ x: ((columns[source] as number) + 1 + bend) * COLUMN_WIDTH, y }));
    return { source, target, points: [centre(source), ...points, centre(target)] };
  });
}

function dagreLines(count: number, links: readonly Link[]): Line[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', ranker: 'longest-path' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let node = 0; node < count; node++) graph.setNode(String(node), { width: CARD_WIDTH, height: CARD_HEIGHT });
  for (const { source, target } of links) graph.setEdge(String(source), String(target));
  dagre.layout(graph);
  const centre = (node: number): Point => {
    const { x, y } = graph.node(String(node));
    return { x, y };
  };
  return links.map(({ source, target }) => {
    const { points = [] } = graph.edge(String(source), String(target));
    // The outer ones are at the edges of the cards.
    return { source, target, points: [centre(source), ...points.slice(1, -1), centre(target)] };
  });
}

/** The number of crossings of links that have no task in common. */
function crossingsOf(lines: readonly Line[]): number {
  let crossings = 0;
  lines.forEach((one, index) => {
    for (const other of lines.slice(index + 1)) {
      const ends = new Set([one.source, one.target, other.source, other.target]);
      if (ends.size === 4) crossings += crossingsOfPair(one.points, other.points);
    }
  });
  return crossings;
}

function crossingsOfPair(one: readonly Point[], other: readonly Point[]): number {
  let crossings = 0;
  for (let first = 1; first < one.length; first++) {
    for (let second = 1; second < other.length; second++) {
      const [a, b] = [one[first - 1] as Point, one[first] as Point];
      const [c, d] = [other[second - 1] as Point, other[second] as Point];
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) crossings++;
    }
  }
  return crossings;
}

/** On which side of a line a point is. */
function side(from: Point, to: Point, point: Point): number {
  return Math.sign((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x));
}

/** The same with nine leaves before one node and nine after another. */
function withFans({ count, links }: ReturnType<typeof randomGraph>) {
  const [before, after] = [Math.floor(count / 2), Math.floor(count / 3)];
  const leaves = Array.from({ length: 9 }, (_, index) => [
    { source: count + index, target: before },
    { source: after, target: count + 9 + index },
  ]);
  return { count: count + 18, links: [...links, ...leaves.flat()] };
}

/** The graph with its fans folded, by the first of their leaves. */
function folded({ count, links }: ReturnType<typeof randomGraph>) {
  const given = {
    graph: {
      count,
      sources: Int32Array.from(links, ({ source }) => source),
      targets: Int32Array.from(links, ({ target }) => target),
    },
    types: new Uint8Array(links.length),
    counts: new Int32Array(links.length).fill(1),
  };
  const fans = fansOf(given, () => true);
  const hidden = fans.map(({ leaves }) => leaves.slice(FIRST_LEAVES));
  const { graph } = foldFans(given, fans, hidden);
  const left = [...graph.sources].map((source, link) => ({ source, target: graph.targets[link] as number }));
  return { count: graph.count, links: left };
}

test('[CON38] folded fans cross other links at most 1.3 times as often as in a layout of dagre', () => {
  let [ours, theirs] = [0, 0];
  for (let seed = 0; seed < GRAPHS_WITH_FANS; seed++) {
    const whole = withFans(randomGraph(seed));
    const { count, links } = folded(whole);
    expect(count).toBeLessThan(whole.count);
    ours += crossingsOf(ourLines(count, links));
    theirs += crossingsOf(dagreLines(count, links));
  }
  expect(theirs).toBeGreaterThan(GRAPHS_WITH_FANS);
  expect(ours / theirs).toBeLessThanOrEqual(1.3);
});

test('[CON7] links cross at most 1.3 times as often as in a layout of dagre', () => {
  let [ours, theirs] = [0, 0];
  for (let seed = 0; seed < GRAPHS; seed++) {
    const { count, links } = randomGraph(seed);
    ours += crossingsOf(ourLines(count, links));
    theirs += crossingsOf(dagreLines(count, links));
  }
  // A comparison of nothing would always succeed.
  expect(theirs).toBeGreaterThan(GRAPHS);
  expect(ours / theirs).toBeLessThanOrEqual(1.3);
});
