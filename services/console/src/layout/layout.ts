// The layout of a task graph: columns by time, rows by neighbours, connected components side by
// side. The same graph always has the same layout. After a change, nodes stay where they were unless
// a link or a card needs their place.
import { changedColumns, NO_COLUMN, newColumns } from './columns.ts';
import { at, componentsOf, type GraphArrays } from './graph-arrays.ts';
import { type Layers, layersOf } from './layers.ts';
import { type Box, packBoxes } from './packing.ts';
import { columnAt, NO_PINS, type Pins, pinnedPlaces } from './pins.ts';
import { COLUMN_WIDTH, changedRows, newRows, ROW_HEIGHT } from './rows.ts';
import { orderVertices } from './vertex-order.ts';

/** The positions of the nodes' centres: `x` and `row`, both in pixels. */
export interface Layout {
  readonly columns: Int32Array;
  /** `column * COLUMN_WIDTH`, except of pinned nodes. */
  readonly xs: Float64Array;
  readonly rows: Float64Array;
  /**
   * The rows of the bends of link `i` are `bendRows[bendOffsets[i]]` up to
   * `bendRows[bendOffsets[i + 1]]`, exclusive: one in each column between its ends, from left to
   * right. A link without bends goes straight.
   */
  readonly bendOffsets: Int32Array;
  readonly bendRows: Float64Array;
}

/** Earlier positions by node: `NO_COLUMN` and NaN for a new one. */
export type EarlierPositions = Pick<Layout, 'columns' | 'rows'>;

export { NO_COLUMN };

/** A layout without regard to earlier ones. */
export function newLayout(graph: GraphArrays): Layout {
  const parts = partsOf(graph);
  const placed = parts.map((part) => placePart(part));
  const corners = packBoxes(
    placed.map(({ box }) => box),
    { width: COLUMN_WIDTH, height: 1 },
  );
  const columns = new Int32Array(graph.count);
  const rows = new Float64Array(graph.count);
  const bends: (Float64Array | undefined)[] = new Array(graph.sources.length);
  parts.forEach((part, index) => {
    const { layers, rows: own } = placed[index] as PlacedPart;
    const { column, row } = corners[index] as { column: number; row: number };
    part.nodes.forEach((node, local) => {
      columns[node] = at(layers.columnOf, local) - layers.firstColumn + column;
      rows[node] = at(own, local) + row;
    });
    part.links.forEach((link, local) => {
      bends[link] = bendRowsOf(layers, own, local).map((each) => each + row);
    });
  });
  return { columns, xs: xsOf(columns, NO_PINS), rows, ...joinBends(bends) };
}

/**
 * The layout after a change. Without an earlier position it equals `newLayout`, apart from the pinned
 * nodes and those that make room for them.
 */
export function changedLayout(graph: GraphArrays, earlier: EarlierPositions, pins = NO_PINS): Layout {
  if (earlier.columns.every((column) => column === NO_COLUMN)) {
    const layout = newLayout(graph);
    return pins.nodes.length === 0 ? layout : changedLayout(graph, layout, pins);
  }
  const before = withPins(earlier, pins);
  const pinned = pinnedPlaces(pins);
  const columns = changedColumns(graph, before.columns, pinned.has);
  const layers = layersOf(graph, columns);
  const stays = (node: number) => at(columns, node) === at(before.columns, node);
  const rows = changedRows(layers, before.rows, { stays, pinned });
  const bends = Array.from(graph.sources, (_, link) => bendRowsOf(layers, rows, link));
  return { columns, xs: xsOf(columns, pins), rows: rows.slice(0, graph.count), ...joinBends(bends) };
}

function withPins({ columns, rows }: EarlierPositions, pins: Pins): EarlierPositions {
  const before = { columns: columns.slice(), rows: rows.slice() };
  pins.nodes.forEach((node, index) => {
    before.columns[node] = columnAt(at(pins.xs, index));
    before.rows[node] = at(pins.ys, index);
  });
  return before;
}

function xsOf(columns: Int32Array, pins: Pins): Float64Array {
  const xs = Float64Array.from(columns, (column) => column * COLUMN_WIDTH);
  pins.nodes.forEach((node, index) => {
    xs[node] = at(pins.xs, index);
  });
  return xs;
}

/** A connected component, or all nodes without links. */
interface Part {
  readonly nodes: readonly number[];
  readonly links: readonly number[];
  readonly graph: GraphArrays;
}

interface PlacedPart {
  readonly layers: Layers;
  readonly rows: Float64Array;
  readonly box: Box;
}

/** The parts with links, by their lowest node, then one with all nodes without links. */
function partsOf(graph: GraphArrays): Part[] {
  const { componentOf, components } = componentsOf(graph);
  const nodes = Array.from({ length: components }, () => [] as number[]);
  const links = Array.from({ length: components }, () => [] as number[]);
  const localOf = new Int32Array(graph.count);
  componentOf.forEach((component, node) => {
    localOf[node] = (nodes[component] as number[]).push(node) - 1;
  });
  graph.sources.forEach((source, link) => {
    (links[at(componentOf, source)] as number[]).push(link);
  });
  const parts: Part[] = [];
  const single: number[] = [];
  nodes.forEach((own, component) => {
    const ownLinks = links[component] as number[];
    if (ownLinks.length === 0) single.push(...own);
    else parts.push({ nodes: own, links: ownLinks, graph: localGraph(graph, own.length, ownLinks, localOf) });
  });
  if (single.length > 0) parts.push({ nodes: single, links: [], graph: localGraph(graph, single.length, [], localOf) });
  return parts;
}

function localGraph(graph: GraphArrays, count: number, links: readonly number[], localOf: Int32Array): GraphArrays {
  return {
    count,
    sources: Int32Array.from(links, (link) => at(localOf, at(graph.sources, link))),
    targets: Int32Array.from(links, (link) => at(localOf, at(graph.targets, link))),
  };
}

function placePart({ graph }: Part): PlacedPart {
  const layers = layersOf(graph, graph.sources.length === 0 ? gridColumns(graph.count) : newColumns(graph));
  if (graph.sources.length > 0) orderVertices(layers);
  const rows = newRows(layers);
  let bottom = 0;
  for (let node = 0; node < graph.count; node++) bottom = Math.max(bottom, at(rows, node));
  return { layers, rows, box: { width: layers.layers.length, height: bottom + ROW_HEIGHT / 2 } };
}

/** Nodes without links fill a grid of about the shape of a screen, row by row. */
function gridColumns(count: number): Int32Array {
  const width = Math.max(1, Math.round(Math.sqrt((count * ROW_HEIGHT * 1.6) / COLUMN_WIDTH)));
  return Int32Array.from({ length: count }, (_, index) => index % width);
}

function bendRowsOf({ firstBend, bendsOf }: Layers, rows: Float64Array, link: number): Float64Array {
  const first = at(firstBend, link);
  return first < 0 ? new Float64Array(0) : rows.slice(first, first + at(bendsOf, link));
}

function joinBends(bends: readonly (Float64Array | undefined)[]): Pick<Layout, 'bendOffsets' | 'bendRows'> {
  const bendOffsets = new Int32Array(bends.length + 1);
  bends.forEach((rows, link) => {
    bendOffsets[link + 1] = at(bendOffsets, link) + (rows?.length ?? 0);
  });
  const bendRows = new Float64Array(at(bendOffsets, bends.length));
  bends.forEach((rows, link) => {
    if (rows !== undefined) bendRows.set(rows, at(bendOffsets, link));
  });
  return { bendOffsets, bendRows };
}
