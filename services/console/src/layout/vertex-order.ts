// The order of the vertices in each layer, so that few links cross: barycentre sweeps, and swaps of
// neighbours where the graph is small.
import { type Adjacency, at } from './graph-arrays.ts';
import type { Layers } from './layers.ts';

const SWEEPS = 8;
/** Graphs with at most this many vertices count their crossings and swap neighbours. */
const SMALL_GRAPH = 1_500;
const SWAP_PASSES = 6;

/** Sorts each layer of `graph` in place. */
export function orderVertices(graph: Layers): void {
  const places = new Float64Array(graph.vertices);
  orderByDepth(graph, places);
  if (graph.vertices > SMALL_GRAPH) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) sweepOnce(graph, places, sweep);
    return;
  }
  let best = copyOf(graph);
  let fewest = countCrossings(graph, places);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    sweepOnce(graph, places, sweep);
    swapNeighbours(graph, places);
    const crossings = countCrossings(graph, places);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = copyOf(graph);
  }
  graph.layers.forEach((layer, index) => {
    layer.set(best[index] as Int32Array);
  });
}

/** The number of crossings of links between adjacent layers. `places` has the places in them. */
function countCrossings(graph: Layers, places: Float64Array): number {
  let crossings = 0;
  for (let index = 1; index < graph.layers.length; index++) crossings += crossingsBefore(graph, places, index);
  return crossings;
}

/** A depth-first walk from the left: vertices of one branch are close to each other. */
function orderByDepth(graph: Layers, places: Float64Array): void {
  const isVisited = new Uint8Array(graph.vertices);
  const visited = graph.layers.map(() => [] as number[]);
  const stack: number[] = [];
  const { offsets, items } = graph.after;
  for (const layer of graph.layers) {
    for (const start of layer) {
      stack.push(start);
      for (let vertex = stack.pop(); vertex !== undefined; vertex = stack.pop()) {
        if (isVisited[vertex] === 1) continue;
        isVisited[vertex] = 1;
        (visited[at(graph.columnOf, vertex) - graph.firstColumn] as number[]).push(vertex);
        for (let index = at(offsets, vertex + 1) - 1; index >= at(offsets, vertex); index--)
          stack.push(at(items, index));
      }
    }
  }
  graph.layers.forEach((layer, index) => {
    layer.set(visited[index] as number[]);
    notePlaces(layer, places);
  });
}

function notePlaces(layer: Int32Array, places: Float64Array): void {
  layer.forEach((vertex, place) => {
    places[vertex] = place;
  });
}

/** Sorts each layer by the mean place of neighbours, alternately of those before and after it. */
function sweepOnce(graph: Layers, places: Float64Array, sweep: number): void {
  const { layers } = graph;
  const keys = new Float64Array(graph.vertices);
  const isRightward = sweep % 2 === 0;
  const neighbours = isRightward ? graph.before : graph.after;
  for (let step = 1; step < layers.length; step++) {
    const layer = layers[isRightward ? step : layers.length - 1 - step] as Int32Array;
    for (const vertex of layer) keys[vertex] = meanPlace(neighbours, vertex, places);
    layer.sort((one, other) => at(keys, one) - at(keys, other) || at(places, one) - at(places, other));
    notePlaces(layer, places);
  }
}

function meanPlace({ offsets, items }: Adjacency, vertex: number, places: Float64Array): number {
  const [first, end] = [at(offsets, vertex), at(offsets, vertex + 1)];
  if (first === end) return at(places, vertex);
  let sum = 0;
  for (let index = first; index < end; index++) sum += at(places, at(items, index));
  return sum / (end - first);
}

/** Swaps neighbours in a layer as long as that removes crossings. */
function swapNeighbours(graph: Layers, places: Float64Array): void {
  for (let pass = 0; pass < SWAP_PASSES; pass++) {
    let swaps = 0;
    for (const layer of graph.layers) {
      for (let place = 1; place < layer.length; place++) {
        const [upper, lower] = [at(layer, place - 1), at(layer, place)];
        if (crossingsOfPair(graph, places, lower, upper) >= crossingsOfPair(graph, places, upper, lower)) continue;
        layer[place - 1] = lower;
        layer[place] = upper;
        places[lower] = place - 1;
        places[upper] = place;
        swaps++;
      }
    }
    if (swaps === 0) return;
  }
}

/** The crossings between the links of two vertices of a layer if `upper` is above `lower`. */
function crossingsOfPair({ before, after }: Layers, places: Float64Array, upper: number, lower: number): number {
  let crossings = 0;
  for (const { offsets, items } of [before, after]) {
    for (let one = at(offsets, upper); one < at(offsets, upper + 1); one++) {
      for (let other = at(offsets, lower); other < at(offsets, lower + 1); other++) {
        if (at(places, at(items, one)) > at(places, at(items, other))) crossings++;
      }
    }
  }
  return crossings;
}

/** Counts inversions among the links between layer `index` and the one before it. */
function crossingsBefore({ layers, before, columnOf }: Layers, places: Float64Array, index: number): number {
  const [left, right] = [layers[index - 1] as Int32Array, layers[index] as Int32Array];
  // A Fenwick tree of the left places seen so far.
  const tree = new Int32Array(left.length + 1);
  let [seen, crossings] = [0, 0];
  for (const vertex of right) {
    const ends: number[] = [];
    for (let link = at(before.offsets, vertex); link < at(before.offsets, vertex + 1); link++) {
      const end = at(before.items, link);
      if (at(columnOf, end) === at(columnOf, vertex) - 1) ends.push(at(places, end));
    }
    for (const place of ends) crossings += seen - upTo(tree, place + 1);
    for (const place of ends)
      for (let node = place + 1; node <= left.length; node += node & -node) tree[node] = at(tree, node) + 1;
    seen += ends.length;
  }
  return crossings;
}

function upTo(tree: Int32Array, end: number): number {
  let sum = 0;
  for (let node = end; node > 0; node -= node & -node) sum += at(tree, node);
  return sum;
}

function copyOf({ layers }: Layers): Int32Array[] {
  return layers.map((layer) => layer.slice());
}
