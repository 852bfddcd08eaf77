// The open graph, its index and its plan, for all components below.
import type { Entity, Refusal, Replica, ReplicaState } from '@taskgraph/client';
import { useNode } from '@taskgraph/client/react';
import type { TaskTimes } from '@taskgraph/domain/plan/schedule';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import type { ReadableGraph } from '../graph/blockers.ts';
import type { GraphIndex } from '../graph/graph-index.ts';
import { type Task, taskOf } from '../graph/task.ts';
import type { PlanClient, TaskPlan } from './plan-client.ts';

interface Workspace {
  readonly replica: Replica;
  readonly index: GraphIndex;
  readonly graph: ReadableGraph;
  /** Undefined before it is computed; null if there is none: too many tasks, or links in a circle. */
  readonly plan: TaskPlan | null | undefined;
  /** The times of all planned tasks. Views of single tasks read `plan.timesOf`. */
  readonly planned: ReadonlyMap<string, TaskTimes>;
}

const NONE: ReadonlyMap<string, TaskTimes> = new Map();

const Context = createContext<Workspace | null>(null);

interface WorkspaceProps {
  readonly replica: Replica;
  readonly index: GraphIndex;
  readonly plans: PlanClient;
  readonly children: ReactNode;
}

export function WorkspaceProvider({ replica, index, plans, children }: WorkspaceProps) {
  const plan = useSyncExternalStore(plans.subscribe, plans.plan);
  const graph = useMemo(() => graphOf(replica, index), [replica, index]);
  const workspace = useMemo(
    () => ({
      replica,
      index,
      graph,
      plan,
      get planned() {
        return plan?.tasks ?? NONE;
      },
    }),
    [replica, index, graph, plan],
  );
  return <Context value={workspace}>{children}</Context>;
}

export function useWorkspace(): Workspace {
  const workspace = useContext(Context);
  if (workspace === null) throw new Error('there is no open graph');
  return workspace;
}

/** A task; undefined while there is none. */
export function useTask(id: string): Task | undefined {
  const node = useNode(useWorkspace().replica, id);
  return node === undefined ? undefined : taskOf(node);
}

/**
 * A value of the graph. The component renders again when the value is another text, so it names what
 * is shown: ids, or a number.
 */
export function useGraphText(select: (graph: ReadableGraph, index: GraphIndex) => string): string {
  const { replica, graph, index } = useWorkspace();
  const subscribe = useCallback(
    (changed: () => void) => replica.subscribe(({ revision }) => revision, changed),
    [replica],
  );
  return useSyncExternalStore(subscribe, () => select(graph, index));
}

/** Whether the graph has no task. */
export function useIsEmpty(): boolean {
  return useGraphText((_graph, index) => String(index.counts().every((tasks) => tasks === 0))) === 'true';
}

/** The state of the replica. The component renders again when it changes. */
export function useReplicaState(): ReplicaState {
  const { replica } = useWorkspace();
  const subscribe = useCallback((changed: () => void) => replica.on('state', changed), [replica]);
  return useSyncExternalStore(subscribe, () => replica.state);
}

/** The changes that were refused while the reader was away. The component renders again when they change. */
export function useRefusals(): readonly Refusal[] {
  const { replica } = useWorkspace();
  const subscribe = useCallback((changed: () => void) => replica.on('refusals', changed), [replica]);
  return useSyncExternalStore(subscribe, replica.refusals);
}

/** The number of changes that are not stored yet. The component renders again when one is. */
export function useUnstored(): number {
  const { replica } = useWorkspace();
  const subscribe = useCallback((changed: () => void) => replica.on('command:stored', changed), [replica]);
  return useSyncExternalStore(subscribe, () => replica.unstored);
}

/** Tasks of the graph, by what `select` returns. Each one that changes renders the component again. */
export function useTasks(select: (graph: ReadableGraph) => readonly Task[]): readonly Task[] {
  const { graph } = useWorkspace();
  let tasks: readonly Task[] | null = null;
  useGraphText(() => {
    tasks = select(graph);
    return tasks.map(identify).join(' ');
  });
  return tasks ?? select(graph);
}

/** The fields of a task that a list shows. */
function identify({ id, title, status, assignee }: Task): string {
  return JSON.stringify([id, title, status, assignee]);
}

export function graphOf(replica: Replica, index: GraphIndex): ReadableGraph {
  return {
    incoming: index.incoming,
    outgoing: index.outgoing,
    task(id) {
      const node: Entity | undefined = replica.snapshot().nodes.get(id);
      return node === undefined ? undefined : taskOf(node);
    },
  };
}
