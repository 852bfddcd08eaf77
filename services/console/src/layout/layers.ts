// The layers of a layout: the vertices of each column, from top to bottom. Besides the nodes, a link
// over several columns has a bend in each column between, so that it passes between the nodes.
import { type Adjacency, adjacencyOf, at, type GraphArrays } from './graph-arrays.ts';

/** More bends would cost more than they show; the longest links go straight instead. */
const BENDS_A_LINK = 3;
const LEAST_BENDS = 2_000;

/** Vertices below `nodes` are nodes, the others bends. */
export interface Layers {
  readonly nodes: number;
  readonly vertices: number;
  readonly columnOf: Int32Array;
  /** Neighbours of a vertex in earlier and later columns: adjacent ones, except of straight links. */
  readonly before: Adjacency;
  readonly after: Adjacency;
  /** The vertices of each column; `layers[0]` is the column `firstColumn`. */
  readonly layers: readonly Int32Array[];
  readonly firstColumn: number;
  /** The first bend of each link, from its left to its right end; -1 for a link without bends. */
  readonly firstBend: Int32Array;
  readonly bendsOf: Int32Array;
}

/** `columns` has the column of each node; only links that lead to the right have bends. */
export function layersOf({ count, sources, targets }: GraphArrays, columns: Int32Array): Layers {
  const links = sources.length;
  const firstBend = new Int32Array(links).fill(-1);
  const bendsOf = new Int32Array(links);
  let vertices = count;
  for (const link of linksWithBends(sources, targets, columns)) {
    const span = at(columns, at(targets, link)) - at(columns, at(sources, link));
    firstBend[link] = vertices;
    bendsOf[link] = span - 1;
    vertices += span - 1;
  }
  const columnOf = new Int32Array(vertices);
  columnOf.set(columns);
  const [from, to]: [number[], number[]] = [[], []];
  for (let link = 0; link < links; link++) {
    const [source, target] = [at(sources, link), at(targets, link)];
    if (at(columns, source) >= at(columns, target)) continue;
    let last = source;
    for (let bend = 0; bend < at(bendsOf, link); bend++) {
      const vertex = at(firstBend, link) + bend;
      columnOf[vertex] = at(columns, source) + 1 + bend;
      from.push(last);
      to.push(vertex);
      last = vertex;
    }
    from.push(last);
    to.push(target);
  }
  const [lefts, rights] = [Int32Array.from(from), Int32Array.from(to)];
  const [firstColumn, lastColumn] = rangeOf(columns);
  return {
    nodes: count,
    vertices,
    columnOf,
    before: adjacencyOf(vertices, rights, lefts),
    after: adjacencyOf(vertices, lefts, rights),
    layers: verticesByColumn(columnOf, firstColumn, lastColumn),
    firstColumn,
    firstBend,
    bendsOf,
  };
}

/** The shortest links over several columns, as long as all bends stay within their bound. */
function linksWithBends(sources: Int32Array, targets: Int32Array, columns: Int32Array): number[] {
  const spanOf = (link: number) => at(columns, at(targets, link)) - at(columns, at(sources, link));
  const long: number[] = [];
  for (let link = 0; link < sources.length; link++) if (spanOf(link) > 1) long.push(link);
  long.sort((one, other) => spanOf(one) - spanOf(other) || one - other);
  let left = Math.max(LEAST_BENDS, BENDS_A_LINK * sources.length);
  const chosen: number[] = [];
  for (const link of long) {
    left -= spanOf(link) - 1;
    if (left < 0) break;
    chosen.push(link);
  }
  return chosen;
}

function rangeOf(columns: Int32Array): readonly [number, number] {
  if (columns.length === 0) return [0, -1];
  let [first, last] = [at(columns, 0), at(columns, 0)];
  for (const column of columns) {
    if (column < first) first = column;
    if (column > last) last = column;
  }
  return [first, last];
}

function verticesByColumn(columnOf: Int32Array, first: number, last: number): Int32Array[] {
  const sizes = new Int32Array(last - first + 1);
  for (const column of columnOf) sizes[column - first] = at(sizes, column - first) + 1;
  const layers = [...sizes].map((size) => new Int32Array(size));
  const next = new Int32Array(layers.length);
  columnOf.forEach((column, vertex) => {
    const place = at(next, column - first);
    (layers[column - first] as Int32Array)[place] = vertex;
    next[column - first] = place + 1;
  });
  return layers;
}
