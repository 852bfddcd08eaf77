// The plan of a graph: what comes first, what can be worked on now, what ends too late, and what a slip costs. Rules: PLAN1 to PLAN5.
// Generated: `npm run docs:generate` copies it from libs/domain/src/plan, which says what is to be said of it.
// Pure, so that clients plan their replicas by the same function.
import { type PlannedTask, type Precedence, type Schedule, schedule, type TaskTimes } from './schedule.ts';

const Status = { AVAILABLE: 0, IN_PROGRESS: 1, BLOCKED: 2, COMPLETED: 3 } as const;
type Status = (typeof Status)[keyof typeof Status];
type PlanUnit = 'minute' | 'hour' | 'day' | 'week';

/** A node as far as a plan asks; all that are given are active and in sight. */
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
  /** Active primary links in sight; those with an end that is not among the nodes count for nothing. */
  readonly links: readonly Precedence[];
  /** Turns units into dates; null where only units are asked for. */
  readonly calendar: Calendar | null;
}

/** A moment and what a unit lasts. */
export interface Calendar {
  /** ISO 8601. */
  readonly start: string;
  readonly unit: PlanUnit;
}

const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<PlanUnit, number>> = {
  minute: 60_000,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
};

/** Past it dates have five figures, which no client expects. */
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface PlanTimes extends TaskTimes {
  readonly id: string;
}

/** Dates of the earliest times, ISO 8601 UTC; null past the year 9999. */
export interface PlanDates {
  readonly startDate: string | null;
  readonly finishDate: string | null;
}

/** An open node that ends after its due date. */
export interface LateNode {
  readonly id: string;
  readonly dueDate: string;
  /** The date of its earliest finish; null past the year 9999. */
  readonly finish: string | null;
}

export interface Plan {
  /** In units. */
  readonly makespan: number;
  /** By id. */
  readonly nodes: readonly PlanTimes[];
  readonly critical: readonly string[];
  /** Nodes that can be worked on now, in the order in which to begin them. */
  readonly ready: readonly string[];
  /** By id; null without a calendar. */
  readonly late: readonly LateNode[] | null;
}

/** The consequences where one node takes longer. */
export interface Slip {
  readonly makespan: BeforeAndAfter<number>;
  readonly late: BeforeAndAfter<readonly LateNode[] | null>;
  /** Nodes whose earliest finish is now past what their latest was, by id. */
  readonly nodes: readonly { readonly id: string; readonly latestFinish: number; readonly earliestFinish: number }[];
}

interface BeforeAndAfter<T> {
  readonly before: T;
  readonly after: T;
}

/** Plans nodes; null where links close a circle. */
export function planOf(input: PlanInput): Plan | null {
  const planned = scheduleOf(input);
  if (planned === null) return null;
  const { makespan, critical, times } = planned;
  const nodes = input.nodes.toSorted(byId);
  return {
    ...{ makespan, critical },
    nodes: nodes.map(({ id }) => ({ id, ...(times.get(id) as TaskTimes) })),
    ready: readyOf(nodes, times),
    late: lateOf(input, planned),
  };
}

/** The dates of a node of a plan: not part of it, since a page shows few of its nodes. */
export function datesOf({ earliestStart, earliestFinish }: TaskTimes, calendar: Calendar): PlanDates {
  return { startDate: dateOf(earliestStart, calendar), finishDate: dateOf(earliestFinish, calendar) };
}

/** The consequences where an open node of the plan lasts `by` units longer; null where links close a circle, or it is none of the open nodes. */
export function slipOf(input: PlanInput, { id, by }: { readonly id: string; readonly by: number }): Slip | null {
  const before = scheduleOf(input);
  const node = input.nodes.find((each) => each.id === id);
  if (before === null || node === undefined || node.status === Status.COMPLETED) return null;
  const longer = {
    ...input,
    nodes: input.nodes.map((each) => (each === node ? { ...node, volume: node.volume + by } : each)),
  };
  const after = scheduleOf(longer) as Schedule;
  const nodes = [...after.times].flatMap(([moved, { earliestFinish }]) => {
    const { latestFinish } = before.times.get(moved) as TaskTimes;
    return earliestFinish > latestFinish ? [{ id: moved, latestFinish, earliestFinish }] : [];
  });
  return {
    makespan: { before: before.makespan, after: after.makespan },
    late: { before: lateOf(input, before), after: lateOf(input, after) },
    nodes: nodes.sort(byId),
  };
}

function scheduleOf({ nodes, links }: PlanInput): Schedule | null {
  const independent = new Set(nodes.flatMap(({ id, independent }) => (independent ? [id] : [])));
  const tasks = nodes.map(
    ({ id, status, volume }): PlannedTask => ({ id, duration: status === Status.COMPLETED ? 0 : volume }),
  );
  return schedule(
    tasks,
    links.filter(({ target }) => !independent.has(target)),
  );
}

/** PLAN3: those under way first, then what may slip least, is due first, and matters most. `nodes` are by id. */
function readyOf(nodes: readonly PlanNode[], times: Schedule['times']): string[] {
  const ready = nodes
    .filter(({ status }) => status !== Status.BLOCKED && status !== Status.COMPLETED)
    .map(({ id, status, dueDate, priority }) => ({
      ...{ id, priority, begun: status === Status.IN_PROGRESS ? 0 : 1, slack: (times.get(id) as TaskTimes).slack },
      dueMs: dueDate === null ? Number.MAX_SAFE_INTEGER : Date.parse(dueDate),
    }));
  // Those that are alike stay by id.
  ready.sort(
    (one, other) =>
      one.begun - other.begun || one.slack - other.slack || one.dueMs - other.dueMs || other.priority - one.priority,
  );
  return ready.map(({ id }) => id);
}

/** PLAN4: open nodes that end after they are due. */
function lateOf({ nodes, calendar }: PlanInput, { times }: Schedule): LateNode[] | null {
  if (calendar === null) return null;
  const late = nodes.flatMap(({ id, status, dueDate }) => {
    if (dueDate === null || status === Status.COMPLETED) return [];
    const { earliestFinish } = times.get(id) as TaskTimes;
    if (momentOf(earliestFinish, calendar) <= Date.parse(dueDate)) return [];
    return [{ id, dueDate, finish: dateOf(earliestFinish, calendar) }];
  });
  return late.sort(byId);
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
