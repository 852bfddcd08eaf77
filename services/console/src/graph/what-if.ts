// What a plan becomes if one task takes another effort. A forecast numbers the planned tasks once, so
// that each answer is one pass over arrays: dragging a bar asks in each frame. Rules: PLAN1, PLAN2.
import { type Adjacency, adjacencyOf, at, topologicalOrder } from '../layout/graph-arrays.ts';
import type { ReadableGraph } from './blockers.ts';
import type { PlannedTask } from './plan-order.ts';
import { COMPLETED, isPrimary } from './task.ts';

export type EarliestTimes = Pick<PlannedTask, 'earliestStart' | 'earliestFinish'>;

/** A question: what if the task takes this effort? */
export interface Question {
  readonly id: string;
  readonly volume: number;
}

export interface Answer {
  /** The task itself and the open tasks that move, in an order in which each follows its predecessors. */
  readonly ids: readonly string[];
  /** The new times of a task; null if they are the same. */
  timesOf(id: string): EarliestTimes | null;
  /** The number of other open tasks that move. */
  readonly moved: number;
  /** The length of the plan before and after, in its units. */
  readonly before: number;
  readonly after: number;
}

/** The planned tasks and their times, by id. */
export type PlannedTimes = ReadonlyMap<string, EarliestTimes>;

export interface Forecast {
  /** Null if the task is not planned. */
  answer(question: Question): Answer | null;
}

/** A forecast is valid for one plan. */
export function createForecast(graph: ReadableGraph, planned: PlannedTimes): Forecast {
  const network = networkOf(graph, planned);
  const { ids, numberOf, starts, finishes, isCompleted } = network;
  const before = latest(finishes);
  return {
    answer({ id, volume }) {
      const asked = numberOf.get(id);
      if (asked === undefined) return null;
      const [newStarts, newFinishes] = [starts.slice(), finishes.slice()];
      newFinishes[asked] = at(starts, asked) + volume;
      const moved = move(network, asked, newStarts, newFinishes);
      // A completed task takes no time, so the reader sees no move.
      const shown = moved.filter((task) => !isCompleted.has(task));
      const places = new Set(shown);
      return {
        ids: shown.map((task) => ids[task] as string),
        timesOf(other) {
          const task = numberOf.get(other);
          if (task === undefined || !places.has(task)) return null;
          return { earliestStart: at(newStarts, task), earliestFinish: at(newFinishes, task) };
        },
        moved: shown.length - 1,
        before,
        after: latest(newFinishes),
      };
    },
  };
}

/** Gives the tasks behind one their new times. Returns it and those that move, in order. */
function move(network: Network, asked: number, newStarts: Float64Array, newFinishes: Float64Array): number[] {
  const { ids, order, positionOf, starts, finishes, followers, awaited } = network;
  const isStale = new Uint8Array(ids.length);
  const moved: number[] = [];
  isStale[asked] = 1;
  for (let place = at(positionOf, asked); place < order.length; place++) {
    const task = at(order, place);
    if (isStale[task] === 0) continue;
    if (task !== asked) {
      const start = neighboursOf(awaited, task).reduce((most, source) => Math.max(most, at(newFinishes, source)), 0);
      if (start === at(starts, task)) continue;
      newStarts[task] = start;
      newFinishes[task] = start + at(finishes, task) - at(starts, task);
    }
    moved.push(task);
    for (const follower of neighboursOf(followers, task)) isStale[follower] = 1;
  }
  return moved;
}

/** The planned tasks by number. */
interface Network {
  readonly ids: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly starts: Float64Array;
  readonly finishes: Float64Array;
  readonly isCompleted: ReadonlySet<number>;
  readonly followers: Adjacency;
  /** The tasks for which a task waits. */
  readonly awaited: Adjacency;
  /** Each task after those for which it waits, and its position there. */
  readonly order: Int32Array;
  readonly positionOf: Int32Array;
}

function networkOf(graph: ReadableGraph, planned: PlannedTimes): Network {
  const ids = [...planned.keys()];
  const numberOf = new Map(ids.map((id, number) => [id, number]));
  const [from, to]: [number[], number[]] = [[], []];
  const isCompleted = new Set<number>();
  for (const [number, id] of ids.entries()) {
    const task = graph.task(id);
    if (task?.status === COMPLETED) isCompleted.add(number);
    if (task?.independent === true) continue;
    for (const link of graph.incoming(id)) {
      const source = isPrimary(link) ? numberOf.get(link.source) : undefined;
      if (source === undefined) continue;
      from.push(source);
      to.push(number);
    }
  }
  const [count, sources, targets] = [ids.length, Int32Array.from(from), Int32Array.from(to)];
  return {
    ids,
    numberOf,
    starts: Float64Array.from(planned.values(), ({ earliestStart }) => earliestStart),
    finishes: Float64Array.from(planned.values(), ({ earliestFinish }) => earliestFinish),
    isCompleted,
    followers: adjacencyOf(count, sources, targets),
    awaited: adjacencyOf(count, targets, sources),
    ...topologicalOrder({ count, sources, targets }),
  };
}

function neighboursOf({ offsets, items }: Adjacency, task: number): Int32Array {
  return items.subarray(at(offsets, task), at(offsets, task + 1));
}

function latest(finishes: Float64Array): number {
  return finishes.reduce((most, finish) => Math.max(most, finish), 0);
}
