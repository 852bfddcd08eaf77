// React hooks over a replica: components show nodes, branches and plans as they are now, and send commands. They need React 18 or newer.
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Calls } from './calls.ts';
import { clientError, TaskgraphError } from './error.ts';
import type { Entity } from './merge-diff.ts';
import { planStoreOf } from './react/plan-store.ts';
import type { CommandName, Replica } from './replica/contract.ts';
import type { PlanOptions, ReplicaPlan } from './replica/replica-plan.ts';
import type { Snapshot } from './replica/view.ts';

/** A branch: its root, and all that leads to it by links, children before their own. Each node comes once, also where several links lead to it. */
export interface Branch {
  readonly root: Entity;
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
}

/** A command of a component. */
export interface Command<E extends CommandName> {
  /** Sends it; what it does shows at once. Resolves with the answer, and rejects with a TaskgraphError where it is refused. */
  readonly send: (payload: Calls[E]['payload']) => Promise<Calls[E]['answer']>;
  /** How many of them have no answer yet. */
  readonly pending: number;
  /** The last one's refusal, until the next is sent. */
  readonly error: TaskgraphError | null;
}

/** The node of this id, or undefined while it is not there. The component renders anew when that node changes. */
export function useNode(replica: Replica, id: string): Entity | undefined {
  return useSelected(replica, (snapshot) => snapshot.nodes.get(id));
}

/** The branch below this root, or undefined while the root is not there. The component renders anew when something in it changes. */
export function useBranch(replica: Replica, rootId: string): Branch | undefined {
  // The same object must come until something in the branch changes, or React would render for ever.
  const last = useRef<Branch | undefined>(undefined);
  const select = useCallback(
    (snapshot: Snapshot) => {
      const next = branchOf(snapshot, rootId);
      if (!isSame(last.current, next)) last.current = next;
      return last.current;
    },
    [rootId],
  );
  return useSelected(replica, select);
}

/**
 * The plan of all that the replica shows, or of a branch, or undefined while there is none: then `replica.plan` with the same options throws the reason. The
 * component renders anew when the plan moves. Options that say the same are the same, also where each rendering makes an object of its own. Rule: PLAN7.
 */
export function usePlan(replica: Replica, options: PlanOptions = {}): ReplicaPlan | undefined {
  const asked = JSON.stringify(options);
  const store = useMemo(() => planStoreOf(replica, JSON.parse(asked) as PlanOptions), [replica, asked]);
  return useSyncExternalStore(store.subscribe, store.read, store.read);
}

/** A command by its event, such as `node:update`. */
export function useCommand<E extends CommandName>(replica: Replica, event: E): Command<E> {
  const [pending, setPending] = useState(0);
  const [error, setError] = useState<TaskgraphError | null>(null);
  const send = useCallback(
    async (payload: Calls[E]['payload']) => {
      setPending((count) => count + 1);
      setError(null);
      try {
        return await replica.send(event, payload);
      } catch (failure) {
        setError(failure instanceof TaskgraphError ? failure : clientError('client.broken_answer', String(failure)));
        throw failure;
      } finally {
        setPending((count) => count - 1);
      }
    },
    [replica, event],
  );
  return useMemo(() => ({ send, pending, error }), [send, pending, error]);
}

function useSelected<T>(replica: Replica, select: (snapshot: Snapshot) => T): T {
  const subscribe = useCallback(
    (changed: () => void) => replica.subscribe(({ revision }) => revision, changed),
    [replica],
  );
  const read = () => select(replica.snapshot());
  return useSyncExternalStore(subscribe, read, read);
}

/** Walks against the links, level by level: what leads to a node hangs below it. Links may form circles where they don't block. */
function branchOf({ nodes, links }: Snapshot, rootId: string): Branch | undefined {
  const root = nodes.get(rootId);
  if (root === undefined) return undefined;
  const leadingTo = new Map<string, Entity[]>();
  for (const link of links.values()) {
    const target = String(link.target);
    leadingTo.set(target, [...(leadingTo.get(target) ?? []), link]);
  }
  const found = new Map([[rootId, root]]);
  const crossed: Entity[] = [];
  // A map that grows while it is walked is walked to its end.
  for (const id of found.keys()) {
    for (const link of leadingTo.get(id) ?? []) {
      const source = nodes.get(String(link.source));
      if (source === undefined) continue;
      crossed.push(link);
      found.set(source.id, source);
    }
  }
  return { root, nodes: [...found.values()], links: crossed };
}

function isSame(one: Branch | undefined, other: Branch | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameList(one.nodes, other.nodes) && isSameList(one.links, other.links);
}

function isSameList(one: readonly Entity[], other: readonly Entity[]): boolean {
  return one.length === other.length && one.every((entity, index) => entity === other[index]);
}
