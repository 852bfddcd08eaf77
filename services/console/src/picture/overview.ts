// The picture from far away: a tile for each top-level branch, with the numbers of its tasks by
// status, and the links between branches in bundles. It is a scene of its own, in which each tile has
// the place of a card. Rule: CON23.
import type { Task } from '../graph/task.ts';
import { branchesOf } from '../layout/branches.ts';
import { at } from '../layout/graph-arrays.ts';
import { newLayout } from '../layout/layout.ts';
import { NO_PINS } from '../layout/pins.ts';
import type { NumberedGraph, PlacedScene } from './scene.ts';

/** The id of the tile of all small branches. */
const OTHER_BRANCHES = 'others';
/** Tiles are few enough to be read at once. */
const MOST_TILES = 60;

export type StatusNumbers = readonly number[];

export interface Overview {
  /** Its nodes are the tiles; their ids are those of the top tasks of their branches. */
  readonly scene: PlacedScene;
  /** The numbers of the tasks of each tile, by status. */
  countsOf(tile: number): StatusNumbers;
  /** Counts a changed task. Returns whether a tile changes. */
  change(before: Task, after: Task): boolean;
  /** Forgets a removed task before the next numbering. Returns whether a tile changes. */
  remove(id: string): boolean;
  /** The tasks of a tile, also hidden ones. */
  tasksOf(id: string): readonly string[];
}

export function overviewOf(all: NumberedGraph): Overview {
  const { ids, numberOf, tasks, graph, types } = all;
  const branches = branchesOf(graph, types, MOST_TILES);
  const { branchOf, tops } = branches;
  const tileIds = tops.map((top) => ids[top] ?? OTHER_BRANCHES);
  const counts = tops.map(() => [0, 0, 0, 0]);
  const present = [...tasks];
  const count = (of: number[], status: number, by: 1 | -1) => {
    of[status] = (of[status] as number) + by;
  };
  /** Another list, since the tile shows the earlier one. */
  const recount = (tile: number, before: Task | undefined, after: Task | undefined) => {
    const changed = [...(counts[tile] as number[])];
    if (before !== undefined) count(changed, before.status, -1);
    if (after !== undefined) count(changed, after.status, 1);
    counts[tile] = changed;
  };
  tasks.forEach((task, node) => {
    if (task !== undefined) count(counts[at(branchOf, node)] as number[], task.status, 1);
  });
  const scene: PlacedScene = {
    ids: tileIds,
    numberOf: new Map(tileIds.map((id, tile) => [id, tile])),
    tasks: tops.map((top) => tasks[top]),
    graph: branches.graph,
    types: branches.types,
    counts: branches.counts,
    hiddenBelow: new Int32Array(tops.length),
    fans: new Map(),
    pins: NO_PINS,
    all,
    layout: newLayout(branches.graph),
  };
  return {
    scene,
    countsOf: (tile) => counts[tile] ?? [],
    change(before, after) {
      const node = numberOf.get(after.id);
      if (node === undefined) return false;
      const tile = at(branchOf, node);
      present[node] = after;
      if (tops[tile] === node) scene.tasks[tile] = after;
      if (before.status !== after.status) recount(tile, before, after);
      return tops[tile] === node || before.status !== after.status;
    },
    remove(id) {
      const node = numberOf.get(id);
      if (node === undefined || present[node] === undefined) return false;
      const tile = at(branchOf, node);
      if (tops[tile] === node) scene.tasks[tile] = undefined;
      recount(tile, present[node], undefined);
      present[node] = undefined;
      return true;
    },
    tasksOf(id) {
      const tile = scene.numberOf.get(id);
      return ids.filter((_, node) => branchOf[node] === tile);
    },
  };
}
