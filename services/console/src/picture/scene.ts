// The graph as the picture needs it: nodes and links by number, in typed arrays, and the last layout
// by id. A change of a node's fields costs as much as the node; a change of the structure numbers
// everything anew.
import type { Entity } from '@taskgraph/client';
import { linkOf, type Task, taskOf } from '../graph/task.ts';
import { collapseGraph } from '../layout/collapse.ts';
import { at, type GraphArrays } from '../layout/graph-arrays.ts';
import { type EarlierPositions, type Layout, NO_COLUMN } from '../layout/layout.ts';
import { FARTHEST_PIN, type Pins } from '../layout/pins.ts';

/** Nodes and links by number. Links with an invisible end are left out. */
export interface NumberedGraph {
  readonly ids: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
  /** Undefined for a node that is removed since the layout. */
  readonly tasks: (Task | undefined)[];
  readonly graph: GraphArrays;
  /** 0 for primary links, as the service stores them. */
  readonly types: Uint8Array;
}

/** The part of a graph that shows while branches are collapsed. */
export interface Scene extends NumberedGraph {
  /** The number of links for which each link stands. */
  readonly counts: Int32Array;
  /** The number of tasks that each collapsed task hides. */
  readonly hiddenBelow: Int32Array;
  readonly pins: Pins;
  /** All nodes and links, also hidden ones; with the tasks of the time of the numbering. */
  readonly all: NumberedGraph;
}

export interface PlacedScene extends Scene {
  readonly layout: Layout;
}

interface VisibleGraph {
  readonly nodes: ReadonlyMap<string, Entity>;
  readonly links: ReadonlyMap<string, Entity>;
}

/**
 * Numbers nodes and links by id, so that the same graph has the same picture in each browser.
 */
export function numberGraph({ nodes, links }: VisibleGraph): NumberedGraph {
  const ids = [...nodes.keys()].sort();
  const numberOf = new Map(ids.map((id, number) => [id, number]));
  const shown = [...links.values()]
    .map(linkOf)
    .filter(({ source, target }) => numberOf.has(source) && numberOf.has(target));
  shown.sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    ids,
    numberOf,
    tasks: ids.map((id) => taskOf(nodes.get(id) as Entity)),
    graph: {
      count: ids.length,
      sources: Int32Array.from(shown, ({ source }) => numberOf.get(source) as number),
      targets: Int32Array.from(shown, ({ target }) => numberOf.get(target) as number),
    },
    types: Uint8Array.from(shown, ({ type }) => type),
  };
}

export function sceneOf(visible: VisibleGraph): Scene {
  const all = numberGraph(visible);
  const collapsed = Uint8Array.from(all.tasks, (task) => Number(task?.collapsed === true));
  if (!collapsed.includes(1)) {
    const counts = new Int32Array(all.graph.sources.length).fill(1);
    return { ...all, counts, hiddenBelow: new Int32Array(all.ids.length), pins: pinsOf(all.tasks), all };
  }
  const { nodes, graph, types, counts, hiddenBelow } = collapseGraph(all.graph, all.types, collapsed);
  const ids = Array.from(nodes, (node) => all.ids[node] as string);
  const tasks = Array.from(nodes, (node) => all.tasks[node]);
  const numberOf = new Map(ids.map((id, number) => [id, number]));
  return { ids, numberOf, tasks, graph, types, counts, hiddenBelow, pins: pinsOf(tasks), all };
}

function pinsOf(tasks: readonly (Task | undefined)[]): Pins {
  const nodes = tasks.flatMap((task, node) => (isPinned(task) ? [node] : []));
  return {
    nodes: Int32Array.from(nodes),
    xs: Float64Array.from(nodes, (node) => tasks[node]?.x ?? 0),
    ys: Float64Array.from(nodes, (node) => tasks[node]?.y ?? 0),
  };
}

/** The service takes any number; the work of a layout grows with the columns up to the farthest pin. */
function isPinned(task: Task | undefined): boolean {
  const isNear = (place = 0) => Math.abs(place) <= FARTHEST_PIN;
  return task?.pinned === true && isNear(task.x) && isNear(task.y);
}

/** Whether a change of a task changes which cards show, or where. */
export function isPlacedAnew(before: Task, after: Task): boolean {
  return (
    before.collapsed !== after.collapsed ||
    before.pinned !== after.pinned ||
    (after.pinned === true && (before.x !== after.x || before.y !== after.y))
  );
}

/** Whether both scenes have the same layout. */
export function isSamePlacement(one: Scene, other: Scene): boolean {
  return (
    one.ids.length === other.ids.length &&
    one.ids.every((id, number) => other.ids[number] === id) &&
    isSameArray(one.graph.sources, other.graph.sources) &&
    isSameArray(one.graph.targets, other.graph.targets) &&
    isSameArray(one.pins.nodes, other.pins.nodes) &&
    isSameArray(one.pins.xs, other.pins.xs) &&
    isSameArray(one.pins.ys, other.pins.ys)
  );
}

function isSameArray(one: Int32Array | Float64Array, other: Int32Array | Float64Array): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** The positions of the nodes of `scene` in an earlier picture. A node that is not pinned any more has none. */
export function earlierPositions({ ids, tasks }: Scene, earlier: PlacedScene | null): EarlierPositions {
  const columns = new Int32Array(ids.length).fill(NO_COLUMN);
  const rows = new Float64Array(ids.length).fill(Number.NaN);
  if (earlier === null) return { columns, rows };
  const pinned = new Set(earlier.pins.nodes);
  ids.forEach((id, number) => {
    const before = earlier.numberOf.get(id);
    if (before === undefined || (pinned.has(before) && !isPinned(tasks[number]))) return;
    columns[number] = at(earlier.layout.columns, before);
    rows[number] = at(earlier.layout.rows, before);
  });
  return { columns, rows };
}
