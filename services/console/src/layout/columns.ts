// The column of each node: time flows from left to right, so a node stands right of everything that
// it waits for.
import { type Adjacency, adjacencyOf, at, type GraphArrays, topologicalOrder } from './graph-arrays.ts';

/** Marks a node without an earlier column. */
export const NO_COLUMN = -2_147_483_648;

/**
 * The columns by the longest path to each node. A node with more links to its right than to its left
 * then moves right until one of its successors follows directly, which shortens links.
 */
export function newColumns(graph: GraphArrays): Int32Array {
  const { order, positionOf } = topologicalOrder(graph);
  const { incoming, outgoing } = neighboursOf(graph, positionOf);
  const columns = new Int32Array(graph.count);
  for (const node of order) columns[node] = firstColumn(columns, incoming, node, 0);
  for (let place = graph.count - 1; place >= 0; place--) {
    const node = at(order, place);
    const [before, after] = [degree(incoming, node), degree(outgoing, node)];
    if (after > before) columns[node] = lastColumn(columns, outgoing, node);
  }
  return columns;
}

/**
 * The columns after a change. A node stays in its earlier column unless a link would then not lead
 * to the right. A node without an earlier column stands next to its neighbours. A pinned node stays
 * whatever its links, and moves no present one.
 */
export function changedColumns(
  graph: GraphArrays,
  earlier: Int32Array,
  isPinned: (node: number) => boolean,
): Int32Array {
  const { order, positionOf } = topologicalOrder(graph);
  const { incoming, outgoing } = neighboursOf(graph, positionOf);
  const isLoose = (_: number, link: number) => !isPinned(at(graph.sources, link));
  const loose = { count: graph.count, sources: graph.sources.filter(isLoose), targets: graph.targets.filter(isLoose) };
  const incomingLoose = neighboursOf(loose, positionOf).incoming;
  const columns = earlier.slice();
  for (const node of order) {
    const present = at(earlier, node);
    if (isPinned(node)) continue;
    if (present !== NO_COLUMN) columns[node] = firstColumn(columns, incomingLoose, node, present);
    else if (degree(incoming, node) > 0) columns[node] = firstColumn(columns, incoming, node, NO_COLUMN);
    else columns[node] = beforeSuccessors(earlier, outgoing, node);
  }
  return columns;
}

interface Neighbours {
  readonly incoming: Adjacency;
  readonly outgoing: Adjacency;
}

/** The neighbours of each node, without links that the order has cut. */
function neighboursOf({ count, sources, targets }: GraphArrays, positionOf: Int32Array): Neighbours {
  const isForward = (_: number, link: number) => at(positionOf, at(sources, link)) < at(positionOf, at(targets, link));
  const from = sources.filter(isForward);
  const to = targets.filter(isForward);
  return { incoming: adjacencyOf(count, to, from), outgoing: adjacencyOf(count, from, to) };
}

function degree({ offsets }: Adjacency, node: number): number {
  return at(offsets, node + 1) - at(offsets, node);
}

function firstColumn(columns: Int32Array, { offsets, items }: Adjacency, node: number, least: number): number {
  let column = least;
  for (let index = at(offsets, node); index < at(offsets, node + 1); index++) {
    column = Math.max(column, at(columns, at(items, index)) + 1);
  }
  return column;
}

function lastColumn(columns: Int32Array, { offsets, items }: Adjacency, node: number): number {
  let column = Number.POSITIVE_INFINITY;
  for (let index = at(offsets, node); index < at(offsets, node + 1); index++) {
    column = Math.min(column, at(columns, at(items, index)) - 1);
  }
  return column;
}

function beforeSuccessors(earlier: Int32Array, { offsets, items }: Adjacency, node: number): number {
  let column = Number.POSITIVE_INFINITY;
  for (let index = at(offsets, node); index < at(offsets, node + 1); index++) {
    const successor = at(earlier, at(items, index));
    if (successor !== NO_COLUMN) column = Math.min(column, successor - 1);
  }
  return column === Number.POSITIVE_INFINITY ? 0 : column;
}
