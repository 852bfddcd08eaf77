// The plan of a replica: the answer of graph:plan, computed on the copy, and its watchers. Rule:
// PLAN7.

import { datesOf, type PlanInput, type PlanNode, planOf, type Slip, slipOf } from '@taskgraph/domain/plan/plan';
import { normalizeTime } from '@taskgraph/wire/timestamps';
import type { Calls } from '../calls.ts';
import { localRefusal, TaskgraphError } from '../error.ts';
import type { Entity } from '../merge-diff.ts';
import type { Unsubscribe } from '../session.ts';
import { branchNodes } from './branch-nodes.ts';
import type { Emitter } from './emitter.ts';
import type { ReplicaEvents } from './replica-events.ts';
import type { Snapshot } from './view.ts';

type PlanPayload = Calls['graph:plan']['payload'];
type PlanAnswer = Calls['graph:plan']['answer'];

/** The options of `graph:plan`. */
export interface PlanOptions {
  /** The root of a branch. Private links are ignored. */
  root?: string;
  /** A time in ISO 8601. Needs `unit`. */
  start?: string;
  unit?: NonNullable<PlanPayload['unit']>;
  slip?: { id: string; by: number };
}

/**
 * The answer of `graph:plan` without pages. `hidden` marks Blocked nodes whose blockers are all
 * invisible.
 */
export type ReplicaPlan = Pick<PlanAnswer, 'makespan' | 'nodes' | 'late' | 'slip'> & {
  critical: string[];
  ready: string[];
};

/** Most nodes of a plan (PLAN6). */
const MAXIMUM_PLANNED = 20_000;
const MAXIMUM_PLANNED_LINKS = 200_000;
const MAXIMUM_SLIP = 1_000_000;
const PRIMARY = 0;
const BLOCKED = 2;
const COMPLETED = 3;

/**
 * The current plan. Throws a TaskgraphError with the code of `graph:plan`. `hasBlocker` says
 * whether the copy without the pending commands has a blocker of a node: then the service has not
 * unblocked it yet.
 */
export function planIn(
  snapshot: Snapshot,
  options: PlanOptions = {},
  hasBlocker: HasBlocker = () => false,
): ReplicaPlan {
  const input = inputOf(snapshot, options);
  const plan = planOf(input);
  if (plan === null) throw localRefusal('unavailable', 'Links form a cycle, as they may while changes arrive.');
  const hidden = withoutBlockers(snapshot, input.nodes, hasBlocker);
  const { calendar } = input;
  const slip = options.slip === undefined ? null : slipIn(input, options.slip);
  return {
    makespan: plan.makespan,
    critical: [...plan.critical],
    ready: [...plan.ready],
    nodes: plan.nodes.map((node) => ({
      ...node,
      ...(calendar === null ? {} : datesOf(node, calendar)),
      ...(hidden.has(node.id) ? { hidden: true as const } : {}),
    })),
    ...(plan.late === null ? {} : { late: [...plan.late] }),
    ...(slip === null ? {} : { slip: slipAnswer(slip) }),
  };
}

/** The part of a replica that planning needs. */
interface PlannableReplica {
  readonly snapshot: () => Snapshot;
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unsubscribe;
  on: Emitter<ReplicaEvents>['on'];
  readonly hasBlocker: HasBlocker;
}

type HasBlocker = (nodeId: string) => boolean;

export interface PlanMethods {
  /**
   * The current plan of the whole replica or of a branch: the answer of `graph:plan` without pages,
   * computed locally. Throws a TaskgraphError with the code of `graph:plan`.
   */
  plan(options?: PlanOptions): ReplicaPlan;
  /**
   * Calls the listener with the plan whenever it changes; with null while its root is missing or it
   * has more than 20,000 nodes. Returns a function that ends this.
   */
  watchPlan(options: PlanOptions, listener: (plan: ReplicaPlan | null) => void): Unsubscribe;
}

/** The planning methods of a replica. */
export function planMethodsOf(replica: PlannableReplica): PlanMethods {
  return {
    plan: (options) => planIn(replica.snapshot(), options, replica.hasBlocker),
    watchPlan: (options, listener) => watchPlanOf(replica, options, listener),
  };
}

/**
 * Calls the listener with each changed plan; with null if the root is missing or the plan has more
 * than 20,000 nodes. It computes the plan once for all changes of one turn, and only if a field of
 * `PLAN_FIELDS` changed.
 */
function watchPlanOf(
  { subscribe, on, hasBlocker }: PlannableReplica,
  options: PlanOptions,
  listener: (plan: ReplicaPlan | null) => void,
): Unsubscribe {
  let isStale = true;
  let last: { readonly plan: ReplicaPlan | null; readonly text: string } | null = null;
  const stale = () => {
    isStale = true;
  };
  const changed = (before: Entity, after: Entity) => {
    isStale ||= PLAN_FIELDS.some((field) => before[field] !== after[field]);
  };
  const ends = [
    ...(['node:added', 'node:removed', 'link:added', 'link:removed'] as const).map((kind) => on(kind, stale)),
    on('node:changed', ({ node, before }) => changed(before, node)),
    on('link:changed', ({ link, before }) => changed(before, link)),
  ];
  const select = (snapshot: Snapshot) => {
    if (!isStale && last !== null) return last;
    isStale = false;
    const plan = planOrNull(snapshot, options, hasBlocker);
    const text = JSON.stringify(plan);
    if (last === null || last.text !== text) last = { plan, text };
    return last;
  };
  ends.push(subscribe(select, ({ plan }) => listener(plan)));
  return () => {
    for (const end of ends) end();
  };
}

/** The fields of nodes and links on which a plan depends. */
const PLAN_FIELDS = ['status', 'volume', 'independent', 'priority', 'dueDate', 'source', 'target', 'type', 'private'];

function planOrNull(snapshot: Snapshot, options: PlanOptions, hasBlocker: HasBlocker): ReplicaPlan | null {
  try {
    return planIn(snapshot, options, hasBlocker);
  } catch (error) {
    if (error instanceof TaskgraphError) return null;
    throw error;
  }
}

function inputOf(snapshot: Snapshot, options: PlanOptions): PlanInput {
  const calendar = calendarOf(options);
  const { root } = options;
  const nodes = (root === undefined ? [...snapshot.nodes.values()] : branchNodes(snapshot, root)).map(planNode);
  if (nodes.length > MAXIMUM_PLANNED)
    throw localRefusal('bad_request.too_large', `A plan has at most ${MAXIMUM_PLANNED} nodes.`);
  const links = [...snapshot.links.values()].filter(({ type }) => type === PRIMARY).map(endsOf);
  const planned = new Set(nodes.map(({ id }) => id));
  if (links.filter(({ source }) => planned.has(source)).length > MAXIMUM_PLANNED_LINKS)
    throw localRefusal('bad_request.too_large', `A plan has at most ${MAXIMUM_PLANNED_LINKS} links.`);
  return { nodes, links, calendar };
}

function calendarOf({ start, unit }: PlanOptions): PlanInput['calendar'] {
  if (start === undefined && unit === undefined) return null;
  const wrong = (what: 'missing_unit' | 'missing_start' | 'invalid_unit' | 'invalid_start') =>
    localRefusal(`bad_request.${what}`, 'Dates need a start in ISO 8601 and a unit.');
  if (unit === undefined) throw wrong('missing_unit');
  if (start === undefined) throw wrong('missing_start');
  if (!/^(minute|hour|day|week)$/.test(unit)) throw wrong('invalid_unit');
  const time = normalizeTime(start);
  if (time === null) throw wrong('invalid_start');
  return { start: time, unit };
}

function endsOf({ source, target }: Entity) {
  return { source: String(source), target: String(target) };
}

function planNode({ id, status, volume, independent, priority, dueDate }: Entity): PlanNode {
  return { id, status, volume, independent, priority, dueDate } as PlanNode;
}

/**
 * Blocked nodes without any visible blocker. If one is visible, the copy cannot tell whether there
 * are others.
 */
function withoutBlockers(snapshot: Snapshot, planned: readonly PlanNode[], hasBlocker: HasBlocker): Set<string> {
  const marked = new Set(planned.filter(({ status }) => status === BLOCKED).map(({ id }) => id));
  for (const { type, source, target } of snapshot.links.values()) {
    const blocker = snapshot.nodes.get(String(source));
    if (type === PRIMARY && blocker !== undefined && blocker.status !== COMPLETED) marked.delete(String(target));
  }
  for (const id of marked) if (hasBlocker(id)) marked.delete(id);
  return marked;
}

function slipIn(input: PlanInput, { id, by }: { readonly id: string; readonly by: number }): Slip {
  if (!Number.isInteger(by) || by < 1 || by > MAXIMUM_SLIP)
    throw localRefusal('bad_request.out_of_range', `A slip is of 1 to ${MAXIMUM_SLIP} units.`);
  const slip = slipOf(input, { id, by });
  if (slip !== null) return slip;
  throw input.nodes.some((node) => node.id === id)
    ? localRefusal('conflict.not_open', 'The node in slip is completed.')
    : localRefusal('not_found', 'The node in slip is not in the plan.');
}

function slipAnswer({ makespan, late, nodes }: Slip): NonNullable<ReplicaPlan['slip']> {
  return {
    makespan,
    ...(late.before && late.after ? { late: { before: [...late.before], after: [...late.after] } } : {}),
    nodes: [...nodes],
  };
}
