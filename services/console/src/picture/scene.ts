// The graph as the picture needs it: nodes and links by number, in typed arrays, and the last layout
// by id. A change of a node's fields costs as much as the node; a change of the structure numbers
// everything anew.
import type { Entity } from '@taskgraph/client';
import { linkOf, type Task, taskOf } from '../graph/task.ts';
import { collapseGraph } from '../layout/collapse.ts';
import { at, type GraphArrays } from '../layout/graph-arrays.ts';
import { type EarlierPositions, type Layout, NO_COLUMN } from '../layout/layout.ts';
import { FARTHEST_PIN, type Pins } from '../layout/pins.ts';
import { ROW_HEIGHT } from '../layout/rows.ts';
import { ALL_FOLDED, type FanChoice, fanScene, isOpen, type SceneFan } from './fans.ts';

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

/** The part of a graph that shows while branches are collapsed and fans are folded. */
export interface Scene extends NumberedGraph {
  /** The number of links for which each link stands; 0 for a line that is not drawn. */
  readonly counts: Int32Array;
  /** By the numbers of their cards, which are those of no task. */
  readonly fans: ReadonlyMap<number, SceneFan>;
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
  const tasks = Array.from(nodes.values(), taskOf).sort(byId);
  const ids = tasks.map(({ id }) => id);
  const numberOf = numbersOf(ids);
  const all = Array.from(links.values(), linkOf).sort(byId);
  const [sources, targets, types] = [
    new Int32Array(all.length),
    new Int32Array(all.length),
    new Uint8Array(all.length),
  ];
  let count = 0;
  for (const link of all) {
    const [source, target] = [numberOf.get(link.source), numberOf.get(link.target)];
    if (source === undefined || target === undefined) continue;
    sources[count] = source;
    targets[count] = target;
    types[count++] = link.type;
  }
  const graph = { count: ids.length, sources: sources.subarray(0, count), targets: targets.subarray(0, count) };
  return { ids, numberOf, tasks, graph, types: types.subarray(0, count) };
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

/** A loop: pairs for the constructor of a map would take most of the time. */
function numbersOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let number = 0; number < ids.length; number++) numbers.set(ids[number] as string, number);
  return numbers;
}

export function sceneOf(visible: VisibleGraph, choice = ALL_FOLDED): Scene {
  return shownScene(numberGraph(visible), choice);
}

/** The part of a graph that shows. */
export function shownScene(all: NumberedGraph, choice: FanChoice): Scene {
  const shown = withoutBranches(all);
  const { ids, tasks, hiddenBelow } = shown;
  const isLeaf = (node: number) => hiddenBelow[node] === 0 && !isPinned(tasks[node]);
  const folded = fanScene(shown, isLeaf, choice);
  if (folded === null) return { ...shown, fans: new Map(), pins: pinsOf(tasks), all };
  const { fanned, fans } = folded;
  const { nodes, ...links } = fanned;
  const cards = [...fans.entries()].map(([index, fan]) => [nodes.length + index, fan] as const);
  const left = numbered(
    [...Array.from(nodes, (node) => ids[node] as string), ...fans.map(({ id }) => id)],
    [...Array.from(nodes, (node) => tasks[node]), ...fans.map(() => undefined)],
  );
  const below = new Int32Array(links.graph.count);
  below.set(nodes.map((node) => at(hiddenBelow, node)));
  return { ...left, ...links, hiddenBelow: below, fans: new Map(cards), pins: pinsOf(left.tasks), all };
}

/** The part that shows while branches are collapsed. */
function withoutBranches(all: NumberedGraph): Omit<Scene, 'fans' | 'pins' | 'all'> {
  const collapsed = Uint8Array.from(all.tasks, (task) => Number(task?.collapsed === true));
  if (!collapsed.includes(1)) {
    const counts = new Int32Array(all.graph.sources.length).fill(1);
    return { ...all, counts, hiddenBelow: new Int32Array(all.ids.length) };
  }
  const { nodes, ...links } = collapseGraph(all.graph, all.types, collapsed);
  const ids = Array.from(nodes, (node) => all.ids[node] as string);
  const tasks = Array.from(nodes, (node) => all.tasks[node]);
  return { ...numbered(ids, tasks), ...links };
}

function numbered(ids: readonly string[], tasks: (Task | undefined)[]) {
  return { ids, tasks, numberOf: numbersOf(ids) };
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
export function earlierPositions(scene: Scene, earlier: PlacedScene | null): EarlierPositions {
  const { ids, tasks } = scene;
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
  for (const [card, fan] of scene.fans) {
    const before = earlier.fans.get(earlier.numberOf.get(fan.id) ?? -1);
    if (before === undefined || isOpen(before) === isOpen(fan)) continue;
    const cards = [...fan.leaves.flatMap((id) => scene.numberOf.get(id) ?? []), card];
    const row = at(rows, scene.numberOf.get(fan.task) ?? card);
    stackCards({ columns, rows }, cards, { column: at(columns, card), row });
  }
  return { columns, rows };
}

/** Puts cards below each other around a row. Others of the column that are in the way move up or down. */
function stackCards(
  { columns, rows }: EarlierPositions,
  cards: readonly number[],
  { column, row }: { readonly column: number; readonly row: number },
): void {
  const reach = ((cards.length - 1) / 2) * ROW_HEIGHT;
  cards.forEach((card, place) => {
    columns[card] = column;
    rows[card] = row - reach + place * ROW_HEIGHT;
  });
  const own = new Set(cards);
  const others = [...columns.keys()].filter((node) => columns[node] === column && !own.has(node));
  others.sort((one, other) => at(rows, one) - at(rows, other));
  let [above, below] = [row - reach - ROW_HEIGHT, row + reach + ROW_HEIGHT];
  for (const node of others.filter((each) => at(rows, each) <= row).reverse()) {
    rows[node] = Math.min(at(rows, node), above);
    above = at(rows, node) - ROW_HEIGHT;
  }
  for (const node of others.filter((each) => at(rows, each) > row)) {
    rows[node] = Math.max(at(rows, node), below);
    below = at(rows, node) + ROW_HEIGHT;
  }
}
