// The plan of a replica: what graph:plan would answer on all that the replica has, and who is told when it moves. Rule: PLAN7.
import { datesOf, type PlanInput, type PlanNode, planOf, type Slip, slipOf } from '@taskgraph/domain/plan/plan';
import type { Calls } from '../calls.ts';
import { TaskgraphError, type TaskgraphErrorCode } from '../error.ts';
import type { Entity } from '../merge-diff.ts';
import type { Unlisten } from '../session.ts';
import type { ReplicaEvents } from './changes.ts';
import type { Emitter } from './emitter.ts';
import type { Snapshot } from './view.ts';

type Asked = Calls['graph:plan']['payload'];
type Answer = Calls['graph:plan']['answer'];

/** As `graph:plan` takes them. */
export interface PlanOptions {
  /** The root of a branch: with it all that hangs below by links that are not private. */
  root?: string;
  /** A time in ISO 8601; with `unit` alone. */
  start?: string;
  unit?: NonNullable<Asked['unit']>;
  slip?: { id: string; by: number };
}

/** As `graph:plan` answers, but whole: no list is cut. `hidden` marks Blocked nodes of which no blocker is here at all. */
export type ReplicaPlan = Pick<Answer, 'makespan' | 'nodes' | 'late' | 'slip'> & {
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
 * The plan at this moment. Throws a TaskgraphError with the code that `graph:plan` would answer. `hasBlocker` says whether a blocker of a node
 * is here without the changes of commands that wait: the service has not unblocked the node yet.
 */
export function planIn(
  snapshot: Snapshot,
  options: PlanOptions = {},
  hasBlocker: HasBlocker = () => false,
): ReplicaPlan {
  const input = inputOf(snapshot, options);
  const plan = planOf(input);
  if (plan === null) throw refused('unavailable', 'Links close a circle, as they may while changes come in.');
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
    ...(slip === null ? {} : { slip: toldSlip(slip) }),
  };
}

/** A replica as far as planning asks for it. */
interface Planned {
  readonly snapshot: () => Snapshot;
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unlisten;
  on: Emitter<ReplicaEvents>['on'];
  readonly hasBlocker: HasBlocker;
}

type HasBlocker = (nodeId: string) => boolean;

export interface Planning {
  /**
   * The plan of all that is shown now, or of a branch, as `graph:plan` makes it, but without asking and whole. Throws a TaskgraphError with the code that
   * `graph:plan` would answer.
   */
  plan(options?: PlanOptions): ReplicaPlan;
  /**
   * Calls the listener with the plan whenever it moves, null while there is none: its root is not here, or it has more than 20,000 nodes. Gives a function
   * that ends this.
   */
  watchPlan(options: PlanOptions, listener: (plan: ReplicaPlan | null) => void): Unlisten;
}

/** The methods of a replica that plan it. */
export function planningOf(replica: Planned): Planning {
  return {
    plan: (options) => planIn(replica.snapshot(), options, replica.hasBlocker),
    watchPlan: (options, listener) => watchPlanOf(replica, options, listener),
  };
}

/**
 * Calls the listener with the new plan whenever it is another than before, null where there is none: its root went, or it has more than 20,000 nodes. It is
 * planned anew once for all that came in one turn, and only where something moved that a plan asks for.
 */
function watchPlanOf(
  { subscribe, on, hasBlocker }: Planned,
  options: PlanOptions,
  listener: (plan: ReplicaPlan | null) => void,
): Unlisten {
  let isStale = true;
  let last: { readonly plan: ReplicaPlan | null; readonly text: string } | null = null;
  const stale = () => {
    isStale = true;
  };
  const changed = (before: Entity, after: Entity) => {
    isStale ||= ASKED.some((field) => before[field] !== after[field]);
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

/** The fields of nodes and links that a plan asks for. */
const ASKED = ['status', 'volume', 'independent', 'priority', 'dueDate', 'source', 'target', 'type', 'private'];

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
  const nodes = (root === undefined ? [...snapshot.nodes.values()] : below(snapshot, root)).map(planNode);
  if (nodes.length > MAXIMUM_PLANNED)
    throw refused('bad_request.too_large', `A plan has at most ${MAXIMUM_PLANNED} nodes.`);
  const links = [...snapshot.links.values()].filter(({ type }) => type === PRIMARY).map(endsOf);
  const planned = new Set(nodes.map(({ id }) => id));
  if (links.filter(({ source }) => planned.has(source)).length > MAXIMUM_PLANNED_LINKS)
    throw refused('bad_request.too_large', `A plan has at most ${MAXIMUM_PLANNED_LINKS} links.`);
  return { nodes, links, calendar };
}

/** A time as the service takes it: engines read more, and one without an offset by the zone of their machine. */
const TIME = /^(.{10}T\d\d:\d\d:\d\d(?:\.\d{1,74})?)(?:Z|([+-]\d\d)(?::?(\d\d))?)$/;

function calendarOf({ start, unit }: PlanOptions): PlanInput['calendar'] {
  if (start === undefined && unit === undefined) return null;
  const wrong = (what: 'missing_unit' | 'missing_start' | 'invalid_unit' | 'invalid_start') =>
    refused(`bad_request.${what}`, 'Dates need a start in ISO 8601 and a unit.');
  if (unit === undefined) throw wrong('missing_unit');
  if (start === undefined) throw wrong('missing_start');
  if (!/^(minute|hour|day|week)$/.test(unit)) throw wrong('invalid_unit');
  const [, clock = '', hours = '+00', minutes = '00'] = TIME.exec(start) ?? [];
  const time = new Date(`${clock}${hours}:${minutes}`).toJSON();
  // Engines make the 2nd of March of the 30th of February, and know years of more figures than four.
  if (!/^\d/.test(time) || !new Date(`${clock}Z`).toJSON().startsWith(clock.slice(0, 10))) throw wrong('invalid_start');
  return { start: time, unit };
}

/** A node and all that hangs below it; each once, also where links close a circle. */
function below({ nodes, links }: Snapshot, root: string): Entity[] {
  const first = nodes.get(root);
  if (first === undefined) throw refused('not_found', 'There is no such branch here.');
  const into = new Map<string, string[]>();
  for (const link of links.values()) {
    const { source, target } = endsOf(link);
    if (link.private === true) continue;
    const sources = into.get(target);
    if (sources) sources.push(source);
    else into.set(target, [source]);
  }
  const found = new Map([[root, first]]);
  // A map that grows while it is walked is walked to its end.
  for (const id of found.keys()) {
    for (const source of into.get(id) ?? []) {
      const node = nodes.get(source);
      if (node !== undefined) found.set(source, node);
    }
  }
  return [...found.values()];
}

function endsOf({ source, target }: Entity) {
  return { source: String(source), target: String(target) };
}

function planNode({ id, status, volume, independent, priority, dueDate }: Entity): PlanNode {
  return { id, status, volume, independent, priority, dueDate } as PlanNode;
}

/** Blocked nodes of which no blocker is here, in the plan or outside of it: where there is one, nobody can tell from here whether there are more. */
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
    throw refused('bad_request.out_of_range', `A slip is of 1 to ${MAXIMUM_SLIP} units.`);
  const slip = slipOf(input, { id, by });
  if (slip !== null) return slip;
  throw input.nodes.some((node) => node.id === id)
    ? refused('conflict.not_open', 'The node in slip is completed.')
    : refused('not_found', 'The node in slip is not in the plan.');
}

function toldSlip({ makespan, late, nodes }: Slip): NonNullable<ReplicaPlan['slip']> {
  return {
    makespan,
    ...(late.before && late.after ? { late: { before: [...late.before], after: [...late.after] } } : {}),
    nodes: [...nodes],
  };
}

function refused(code: TaskgraphErrorCode, message: string): TaskgraphError {
  return new TaskgraphError({ code, message, traceId: null });
}
