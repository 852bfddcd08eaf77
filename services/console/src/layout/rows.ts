// The vertical position of each vertex: as close as possible to its neighbours, in the order of its
// layer and without overlaps. Each layer is an isotonic regression, solved by pooling adjacent
// violators.
import { type Adjacency, at } from './graph-arrays.ts';
import type { Layers } from './layers.ts';

export const CARD_HEIGHT = 56;
export const CARD_WIDTH = 200;
/** From the left edge of one column to that of the next. */
export const COLUMN_WIDTH = 280;
/** From one card to the next below it. */
export const ROW_HEIGHT = 80;
const BEND_HEIGHT = 14;

const ROUNDS = 6;
/** Straight long links read better than short cards in line. */
const WEIGHT_OF_BEND = 4;

/** The rows of a new layout, in pixels from its top. */
export function newRows(graph: Layers): Float64Array {
  const rows = new Float64Array(graph.vertices);
  const targets = new Float64Array(graph.vertices);
  const weights = Float64Array.from({ length: graph.vertices }, (_, vertex) =>
    vertex < graph.nodes ? 1 : WEIGHT_OF_BEND,
  );
  for (const layer of graph.layers) stack(layer, graph.nodes, rows);
  for (let round = 0; round < ROUNDS; round++) {
    const isRightward = round % 2 === 0;
    const sides = round < ROUNDS - 2 ? [isRightward ? graph.before : graph.after] : [graph.before, graph.after];
    for (let step = 0; step < graph.layers.length; step++) {
      const layer = graph.layers[isRightward ? step : graph.layers.length - 1 - step] as Int32Array;
      for (const vertex of layer) targets[vertex] = meanRow(sides, vertex, rows);
      alignLayer(layer, { nodes: graph.nodes, targets, weights, rows });
    }
  }
  return fromTop(rows, graph.nodes);
}

/** Pinned cards by node and by column. */
export interface PinnedPlaces {
  has(node: number): boolean;
  /** The pinned nodes whose cards reach into a column. */
  inColumn(column: number): readonly number[];
}

interface PresentNodes {
  /** Whether a node has an earlier row in the same column. */
  readonly stays: (node: number) => boolean;
  /** The pinned nodes do not move; their rows are those of `earlier`. */
  readonly pinned: PinnedPlaces;
}

/**
 * The rows after a change, in the coordinates of `earlier`. Nodes with `stays` leave their row only
 * if another one has it; the others take the closest free place. Bends take no place of their own:
 * they pass between the cards.
 */
export function changedRows(graph: Layers, earlier: Float64Array, { stays, pinned }: PresentNodes): Float64Array {
  const targets = estimatedRows(graph, earlier);
  const rows = targets.slice();
  const weights = new Float64Array(graph.vertices).fill(1);
  const byTarget = (one: number, other: number) => at(targets, one) - at(targets, other) || one - other;
  for (const [index, layer] of graph.layers.entries()) {
    const nodes = layer.filter((vertex) => vertex < graph.nodes && !pinned.has(vertex)).sort(byTarget);
    const present = nodes.filter(stays);
    alignLayer(present, { nodes: graph.nodes, targets, weights, rows });
    const { cards, displaced } = beside(present, pinned.inColumn(graph.firstColumn + index), rows);
    for (const node of displaced) insertCard(cards, node, rows);
    for (const node of nodes) if (!stays(node)) insertCard(cards, node, rows);
    for (const vertex of layer) if (vertex >= graph.nodes) rows[vertex] = rowBetween(cards, rows, at(targets, vertex));
  }
  return rows;
}

/** The cards of a column, with the pinned ones that reach into it, and those that must make room. */
function beside(present: Int32Array, pinned: readonly number[], rows: Float64Array) {
  if (pinned.length === 0) return { cards: [...present], displaced: [] };
  const isFree = (node: number) => pinned.every((pin) => Math.abs(at(rows, node) - at(rows, pin)) >= ROW_HEIGHT);
  const cards = [...present.filter(isFree), ...pinned].sort((one, other) => at(rows, one) - at(rows, other));
  return { cards, displaced: [...present].filter((node) => !isFree(node)) };
}

/** Moves a card from its row to the closest free one, and inserts it into the sorted `cards`. */
function insertCard(cards: number[], node: number, rows: Float64Array): void {
  const target = at(rows, node);
  const below = firstBelow(cards, rows, target);
  const rowOf = (place: number) => at(rows, cards[place] as number);
  // The first gap that a card fits into, downwards from the target and upwards.
  let [down, downPlace] = [target, below];
  if (below > 0) down = Math.max(down, rowOf(below - 1) + ROW_HEIGHT);
  while (downPlace < cards.length && rowOf(downPlace) - down < ROW_HEIGHT) down = rowOf(downPlace++) + ROW_HEIGHT;
  let [up, upPlace] = [target, below];
  if (below < cards.length) up = Math.min(up, rowOf(below) - ROW_HEIGHT);
  while (upPlace > 0 && up - rowOf(upPlace - 1) < ROW_HEIGHT) up = rowOf(--upPlace) - ROW_HEIGHT;
  const isDown = down - target <= target - up;
  rows[node] = isDown ? down : up;
  cards.splice(isDown ? downPlace : upPlace, 0, node);
}

/** The place of the first card with a row of more than `target`. */
function firstBelow(cards: readonly number[], rows: Float64Array, target: number): number {
  let [first, end] = [0, cards.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (at(rows, cards[middle] as number) <= target) first = middle + 1;
    else end = middle;
  }
  return first;
}

/** The row closest to `target` that is at the edge of a card's place or outside of all. */
function rowBetween(cards: readonly number[], rows: Float64Array, target: number): number {
  const first = firstBelow(cards, rows, target - ROW_HEIGHT / 2);
  const card = cards[first] === undefined ? Number.POSITIVE_INFINITY : at(rows, cards[first]);
  if (card - ROW_HEIGHT / 2 >= target) return target;
  return target < card ? card - ROW_HEIGHT / 2 : card + ROW_HEIGHT / 2;
}

/** The earlier row of each vertex; for a new one the mean of its neighbours, else below all. */
function estimatedRows(graph: Layers, earlier: Float64Array): Float64Array {
  const rows = new Float64Array(graph.vertices).fill(Number.NaN);
  let lowest = Number.NEGATIVE_INFINITY;
  for (let node = 0; node < graph.nodes; node++) {
    const row = at(earlier, node);
    rows[node] = row;
    if (row > lowest) lowest = row;
  }
  const below = lowest === Number.NEGATIVE_INFINITY ? 0 : lowest + ROW_HEIGHT;
  // From the left, then from the right: bends and chains of new nodes get the row of either end.
  for (const [layers, side] of [
    [graph.layers, graph.before],
    [[...graph.layers].reverse(), graph.after],
  ] as const) {
    for (const layer of layers) {
      for (const vertex of layer) if (Number.isNaN(at(rows, vertex))) rows[vertex] = meanOfKnown(side, vertex, rows);
    }
  }
  return rows.map((row) => (Number.isNaN(row) ? below : row));
}

function meanOfKnown({ offsets, items }: Adjacency, vertex: number, rows: Float64Array): number {
  let [sum, known] = [0, 0];
  for (let index = at(offsets, vertex); index < at(offsets, vertex + 1); index++) {
    const row = at(rows, at(items, index));
    if (Number.isNaN(row)) continue;
    sum += row;
    known++;
  }
  return known === 0 ? Number.NaN : sum / known;
}

function meanRow(sides: readonly Adjacency[], vertex: number, rows: Float64Array): number {
  let [sum, number] = [0, 0];
  for (const { offsets, items } of sides) {
    for (let index = at(offsets, vertex); index < at(offsets, vertex + 1); index++) {
      sum += at(rows, at(items, index));
      number++;
    }
  }
  return number === 0 ? at(rows, vertex) : sum / number;
}

function heightOf(vertex: number, nodes: number): number {
  return vertex < nodes ? ROW_HEIGHT : BEND_HEIGHT;
}

/** Stacks the vertices of a layer without gaps, centred at 0. */
function stack(layer: Int32Array, nodes: number, rows: Float64Array): void {
  let height = 0;
  for (const vertex of layer) {
    rows[vertex] = height + heightOf(vertex, nodes) / 2;
    height += heightOf(vertex, nodes);
  }
  for (const vertex of layer) rows[vertex] = at(rows, vertex) - height / 2;
}

interface Alignment {
  readonly nodes: number;
  readonly targets: Float64Array;
  readonly weights: Float64Array;
  readonly rows: Float64Array;
}

/**
 * Moves the vertices of a layer to the rows with the least weighted squared distance to their
 * targets that are in order and far enough apart.
 */
function alignLayer(layer: Int32Array, { nodes, targets, weights, rows }: Alignment): void {
  const { length } = layer;
  const blockEnd = new Int32Array(length);
  const blockSum = new Float64Array(length);
  const blockWeight = new Float64Array(length);
  let blocks = 0;
  let offset = 0;
  const offsets = new Float64Array(length);
  for (let place = 0; place < length; place++) {
    const vertex = at(layer, place);
    if (place > 0) offset += (heightOf(at(layer, place - 1), nodes) + heightOf(vertex, nodes)) / 2;
    offsets[place] = offset;
    const weight = at(weights, vertex);
    let [sum, total] = [(at(targets, vertex) - offset) * weight, weight];
    // Merges with blocks above as long as they would be too low.
    while (blocks > 0 && at(blockSum, blocks - 1) / at(blockWeight, blocks - 1) > sum / total) {
      blocks--;
      sum += at(blockSum, blocks);
      total += at(blockWeight, blocks);
    }
    blockSum[blocks] = sum;
    blockWeight[blocks] = total;
    blockEnd[blocks] = place + 1;
    blocks++;
  }
  for (let [block, place] = [0, 0]; block < blocks; block++) {
    const mean = at(blockSum, block) / at(blockWeight, block);
    for (; place < at(blockEnd, block); place++) rows[at(layer, place)] = mean + at(offsets, place);
  }
}

/** Moves all rows so that the highest card begins at 0. */
function fromTop(rows: Float64Array, nodes: number): Float64Array {
  let top = Number.POSITIVE_INFINITY;
  for (let node = 0; node < nodes; node++) top = Math.min(top, at(rows, node));
  return rows.map((row) => row - top + ROW_HEIGHT / 2);
}
