// The plan of a graph: schedule, ready nodes, late nodes and the effect of a slip. Pure, so that
// clients plan their replicas with the same function. Rules: PLAN1 to PLAN5.
import { type PlanUnit, Status } from '@taskgraph/wire/codes';
import { type PlannedTask, type Precedence, type Schedule, schedule, type TaskTimes } from './schedule.ts';

/** The part of a node that a plan reads. All nodes are active and visible. */
export interface PlanNode {
  readonly id: string;
  readonly status: Status;
  readonly volume: number;
  readonly independent: boolean;
  readonly priority: number;
  /** ISO 8601. */
  readonly dueDate: string | null;
}

export interface PlanInput {
  readonly nodes: readonly PlanNode[];
  /** Active visible primary links. Links with an end outside `nodes` are ignored. */
  readonly links: readonly Precedence[];
  /** Turns units into dates; null for a plan in units alone. */
  readonly calendar: Calendar | null;
}

/** The start of a plan, and the length of a unit. */
export interface Calendar {
  /** ISO 8601. */
  readonly start: string;
  readonly unit: PlanUnit;
}

/** The last second of a day in UTC stands for the whole day (IO6). */
const END_OF_DAY = 'T23:59:59.000Z';
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<PlanUnit, number>> = {
  minute: 60_000,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
};

/** Later dates have years of five digits, which no client expects. */
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The earliest dates, ISO 8601 UTC; null after the year 9999. */
export interface PlanDates {
  readonly startDate: string | null;
  readonly finishDate: string | null;
}

/** An open node that ends after its due date. */
export interface LateNode {
  readonly id: string;
  readonly dueDate: string;
  /** The earliest finish date; null after the year 9999. */
  readonly finish: string | null;
}

export interface Plan {
  /** In units. */
  readonly makespan: number;
  /** By id. */
  readonly nodes: readonly TaskTimes[];
  readonly critical: readonly string[];
  /** Nodes that can be worked on now, in recommended order. */
  readonly ready: readonly string[];
  /** By id; null without a calendar. */
  readonly late: readonly LateNode[] | null;
}

/** The effect of a longer duration of one node. */
export interface Slip {
  readonly makespan: BeforeAndAfter<number>;
  readonly late: BeforeAndAfter<readonly LateNode[] | null>;
  /** Nodes whose new earliest finish is after their former latest finish, by id. */
  readonly nodes: readonly { readonly id: string; readonly latestFinish: number; readonly earliestFinish: number }[];
}

interface BeforeAndAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** Plans nodes; null if the links form a cycle. */
export function planOf(input: PlanInput): Plan | null {
  const nodes = sortedById(input.nodes);
  const planned = scheduleOf(nodes, input.links);
  if (planned === null) return null;
  const { makespan, critical, times } = planned;
  const late = lateOf(nodes, times, input.calendar);
  return { makespan, critical, nodes: times, ready: readyOf(nodes, times), late };
}

/** A database returns sorted nodes, except in several parts. */
function sortedById(nodes: readonly PlanNode[]): readonly PlanNode[] {
  const isSorted = nodes.every(({ id }, index) => index === 0 || (nodes[index - 1] as PlanNode).id <= id);
  return isSorted ? nodes : nodes.toSorted(byId);
}

/** The dates of one node. They are not part of the plan, because a page shows few of its nodes. */
export function datesOf({ earliestStart, earliestFinish }: TaskTimes, calendar: Calendar): PlanDates {
  return { startDate: dateOf(earliestStart, calendar), finishDate: dateOf(earliestFinish, calendar) };
}

/**
 * The effect if an open node of the plan takes `by` units longer; null if the links form a cycle or
 * the node is not an open node of the plan.
 */
export function slipOf(input: PlanInput, { id, by }: { readonly id: string; readonly by: number }): Slip | null {
  const { links, calendar } = input;
  const nodes = sortedById(input.nodes);
  const before = scheduleOf(nodes, links);
  const node = nodes.find((each) => each.id === id);
  if (before === null || node === undefined || node.status === Status.COMPLETED) return null;
  const longer = nodes.map((each) => (each === node ? { ...node, volume: node.volume + by } : each));
  const after = scheduleOf(longer, links) as Schedule;
  return {
    makespan: { before: before.makespan, after: after.makespan },
    late: { before: lateOf(nodes, before.times, calendar), after: lateOf(nodes, after.times, calendar) },
    nodes: after.times.flatMap(({ id: moved, earliestFinish }, index) => {
      const { latestFinish } = before.times[index] as TaskTimes;
      return earliestFinish > latestFinish ? [{ id: moved, latestFinish, earliestFinish }] : [];
    }),
  };
}

function scheduleOf(nodes: readonly PlanNode[], links: readonly Precedence[]): Schedule | null {
  const tasks = nodes.map(
    ({ id, status, volume, independent }): PlannedTask => ({
      id,
      independent,
      duration: status === Status.COMPLETED ? 0 : volume,
    }),
  );
  return schedule(tasks, links);
}

/**
 * Ready nodes (PLAN3): first those in progress, then by slack, due date and priority. `nodes` and
 * `times` have the same order.
 */
function readyOf(nodes: readonly PlanNode[], times: readonly TaskTimes[]): string[] {
  const places: number[] = [];
  const dues = new Float64Array(nodes.length).fill(Number.MAX_SAFE_INTEGER);
  for (const [place, { status, dueDate }] of nodes.entries()) {
    if (status === Status.BLOCKED || status === Status.COMPLETED) continue;
    places.push(place);
    if (dueDate !== null) dues[place] = Date.parse(dueDate);
  }
  const begun = ({ status }: PlanNode) => (status === Status.IN_PROGRESS ? 0 : 1);
  // The sort is stable, so equal nodes stay sorted by id.
  places.sort((a, b) => {
    const one = nodes[a] as PlanNode;
    const other = nodes[b] as PlanNode;
    return (
      begun(one) - begun(other) ||
      (times[a] as TaskTimes).slack - (times[b] as TaskTimes).slack ||
      (dues[a] as number) - (dues[b] as number) ||
      other.priority - one.priority
    );
  });
  return places.map((place) => (nodes[place] as PlanNode).id);
}

/** Open nodes that end after their due date, by id (PLAN4). */
function lateOf(nodes: readonly PlanNode[], times: readonly TaskTimes[], calendar: Calendar | null): LateNode[] | null {
  if (calendar === null) return null;
  return nodes.flatMap(({ id, status, dueDate }, place) => {
    if (dueDate === null || status === Status.COMPLETED) return [];
    const { earliestFinish } = times[place] as TaskTimes;
    if (momentOf(earliestFinish, calendar) <= lastMomentOf(dueDate)) return [];
    return [{ id, dueDate, finish: dateOf(earliestFinish, calendar) }];
  });
}

/** A due date that stands for a day lasts until the end of the day (IO6). */
function lastMomentOf(dueDate: string): number {
  return Date.parse(dueDate) + (dueDate.endsWith(END_OF_DAY) ? SECOND_MS : 0);
}

function momentOf(time: number, { start, unit }: Calendar): number {
  return Date.parse(start) + time * UNIT_MS[unit];
}

function dateOf(time: number, calendar: Calendar): string | null {
  const moment = momentOf(time, calendar);
  return moment > LAST_DATE_MS ? null : new Date(moment).toISOString();
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
