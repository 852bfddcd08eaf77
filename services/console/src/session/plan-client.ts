// The plan of all tasks of a replica, which a worker computes again whenever a field that it depends
// on changes. At most one request is on its way; the changes meanwhile wait for the next one.
import type { Entity, Replica } from '@taskgraph/client';
import type { PlanNode } from '@taskgraph/domain/plan/plan';
import type { TaskTimes } from '@taskgraph/domain/plan/schedule';
import { isPrimary, linkOf } from '../graph/task.ts';
import { NUMBERS_A_TASK, type PlanAnswer, type PlanChanges, type PlanLink } from '../plan/planner.ts';
import type { WorkRequest } from '../worker/console.worker.ts';
import { startWorker } from '../worker/work-client.ts';

export interface TaskPlan {
  /** In units of effort. */
  readonly makespan: number;
  /** The tasks that can be done now, in order (PLAN3). */
  readonly ready: readonly string[];
  readonly critical: readonly string[];
  /** All tasks, in order of their ids. The map is made when it is read first. */
  readonly tasks: ReadonlyMap<string, TaskTimes>;
  timesOf(id: string): TaskTimes | undefined;
}

export interface PlanClient {
  /** Undefined before the first answer; null if there is no plan: too many tasks, or links in a circle. */
  plan(): TaskPlan | null | undefined;
  subscribe(changed: () => void): () => void;
  stop(): void;
}

type PlanRequest = Extract<WorkRequest, { kind: 'plan' }>;
type PlannableReplica = Pick<Replica, 'snapshot' | 'on'>;

/** `failed`: the worker has ended with an error. From then on there is no plan. */
export function startPlanClient(replica: PlannableReplica, failed: (message: string) => void): PlanClient {
  const worker = startWorker<PlanRequest>((message) => {
    changes.stop();
    worker.stop();
    plan = null;
    publish();
    failed(message);
  });
  const listeners = new Set<() => void>();
  let plan: TaskPlan | null | undefined;
  let order: TaskOrder = orderOf([]);
  let isBusy = false;
  let isScheduled = false;
  // It reports the first changes at once.
  const changes = collectChanges(replica, schedule);

  /** All changes of one turn go together. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // A task of its own: the first changes are the whole graph.
    setTimeout(() => {
      isScheduled = false;
      send();
    });
  }

  function send(): void {
    if (isBusy) return;
    const next = changes.take();
    if (next === null) return;
    isBusy = true;
    worker.request<PlanAnswer>({ kind: 'plan', changes: next }, (answer) => {
      isBusy = false;
      receive(answer);
      send();
    });
  }

  function receive(answer: PlanAnswer): void {
    if (answer.kind === 'same') return;
    if (answer.kind === 'plan' && answer.ids !== null) order = orderOf(answer.ids);
    plan = answer.kind === 'none' ? null : planFrom(answer, order);
    publish();
  }

  function publish(): void {
    for (const listener of [...listeners]) listener();
  }

  return {
    plan: () => plan,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    stop() {
      changes.stop();
      worker.stop();
    },
  };
}

/** The tasks of a plan and their places in its numbers. */
interface TaskOrder {
  readonly ids: readonly string[];
  readonly placeOf: ReadonlyMap<string, number>;
}

function orderOf(ids: readonly string[]): TaskOrder {
  return { ids, placeOf: new Map(ids.map((id, place) => [id, place])) };
}

function planFrom(
  { times, makespan, ready, critical }: Extract<PlanAnswer, { kind: 'plan' }>,
  { ids, placeOf }: TaskOrder,
): TaskPlan {
  const timesAt = (id: string, place: number): TaskTimes => {
    const numbers = times.subarray(place * NUMBERS_A_TASK, (place + 1) * NUMBERS_A_TASK);
    const [earliestStart = 0, earliestFinish = 0, latestStart = 0, latestFinish = 0, slack = 0] = numbers;
    return { id, earliestStart, earliestFinish, latestStart, latestFinish, slack };
  };
  let tasks: ReadonlyMap<string, TaskTimes> | null = null;
  return {
    makespan,
    ready,
    critical,
    get tasks() {
      tasks ??= new Map(ids.map((id, place) => [id, timesAt(id, place)]));
      return tasks;
    },
    timesOf(id) {
      const place = placeOf.get(id);
      return place === undefined ? undefined : timesAt(id, place);
    },
  };
}

/** Collects the changes of a replica that a plan depends on. The first ones are all of its entities. */
function collectChanges(replica: PlannableReplica, changed: () => void) {
  /** The newest state by id; null for a removed entity. */
  const nodes = new Map<string, PlanNode | null>();
  const links = new Map<string, PlanLink | null>();

  function setNode(node: Entity, before?: Entity): void {
    if (before !== undefined && PLAN_FIELDS.every((field) => before[field] === node[field])) return;
    nodes.set(String(node.id), planNode(node));
    changed();
  }
  function setLink(entity: Entity): void {
    const link = linkOf(entity);
    const { id, source, target } = link;
    links.set(id, isPrimary(link) ? { id, source, target } : null);
    changed();
  }
  function remove(from: Map<string, unknown>, id: string): void {
    from.set(id, null);
    changed();
  }

  changed();
  const ends = [
    replica.on('node:added', ({ node }) => setNode(node)),
    replica.on('node:changed', ({ node, before }) => setNode(node, before)),
    replica.on('node:removed', ({ id }) => remove(nodes, id)),
    replica.on('link:added', ({ link }) => setLink(link)),
    replica.on('link:changed', ({ link }) => setLink(link)),
    replica.on('link:removed', ({ id }) => remove(links, id)),
  ];
  let isFirst = true;
  return {
    /** Null if nothing changed. */
    take(): PlanChanges | null {
      if (isFirst) {
        const first = replica.snapshot();
        for (const node of first.nodes.values()) nodes.set(String(node.id), planNode(node));
        for (const link of first.links.values()) setLink(link);
      }
      if (!isFirst && nodes.size === 0 && links.size === 0) return null;
      isFirst = false;
      const changes = {
        nodes: present(nodes),
        removedNodes: removed(nodes),
        links: present(links),
        removedLinks: removed(links),
      };
      nodes.clear();
      links.clear();
      return changes;
    },
    stop() {
      for (const end of ends) end();
    },
  };
}

function present<T>(changes: ReadonlyMap<string, T | null>): T[] {
  return [...changes.values()].filter((each) => each !== null);
}

function removed(changes: ReadonlyMap<string, unknown>): string[] {
  return [...changes].filter(([, state]) => state === null).map(([id]) => id);
}

/** The fields of a node on which a plan depends. */
const PLAN_FIELDS = ['status', 'volume', 'independent', 'priority', 'dueDate'];

function planNode({ id, status, volume, independent, priority, dueDate }: Entity): PlanNode {
  return { id, status, volume, independent, priority, dueDate } as PlanNode;
}
