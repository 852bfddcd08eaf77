// React hooks over a replica: components show current nodes, branches, plans and hits of searches,
// and send commands. They need React 18 or newer.
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Calls } from './calls.ts';
import { clientError, TaskgraphError } from './error.ts';
import type { Entity } from './merge-diff.ts';
import { findStoreOf } from './react/find-store.ts';
import { planStoreOf } from './react/plan-store.ts';
import type { CommandName, Replica } from './replica/contract.ts';
import type { PlanOptions, ReplicaPlan } from './replica/replica-plan.ts';
import type { NodeSearch } from './replica/search-check.ts';
import type { Snapshot } from './replica/view.ts';

/**
 * A branch: its root, and the nodes from which links lead to it, level by level. Each node occurs
 * once.
 */
export interface Branch {
  readonly root: Entity;
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
}

/** A command of a component. */
export interface Command<E extends CommandName> {
  /**
   * Sends it, and shows its changes at once. Resolves with the answer; rejects with a
   * TaskgraphError if it is refused.
   */
  readonly send: (payload: Calls[E]['payload']) => Promise<Calls[E]['answer']>;
  /** The number of calls without an answer. */
  readonly pending: number;
  /** The last refusal, until the next call. */
  readonly error: TaskgraphError | null;
}

/**
 * The node with this id; undefined while there is none. The component renders again when the node
 * changes.
 */
export function useNode(replica: Replica, id: string): Entity | undefined {
  return useSelected(replica, (snapshot) => snapshot.nodes.get(id));
}

/**
 * The branch of this root; undefined while there is no root. The component renders again when the
 * branch changes.
 */
export function useBranch(replica: Replica, rootId: string): Branch | undefined {
  // React needs the same object until the branch changes, or it would render for ever.
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
 * The plan of the whole replica or of a branch; undefined while there is none: then `replica.plan`
 * with the same options throws the reason. The component renders again when the plan changes.
 * Options are compared by value. Rule: PLAN7.
 */
export function usePlan(replica: Replica, options: PlanOptions = {}): ReplicaPlan | undefined {
  const key = JSON.stringify(options);
  const store = useMemo(() => planStoreOf(replica, JSON.parse(key) as PlanOptions), [replica, key]);
  return useSyncExternalStore(store.subscribe, store.read, store.read);
}

/**
 * All hits of a search, in order; undefined while its root is missing. The component renders again
 * when the hits change. Searches are compared by value. Throws a TaskgraphError if the search is
 * invalid. Rule: FIND9.
 */
export function useFind(replica: Replica, search: NodeSearch = {}): readonly Entity[] | undefined {
  const key = JSON.stringify(search);
  const store = useMemo(() => findStoreOf(replica, JSON.parse(key) as NodeSearch), [replica, key]);
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

/** Follows the links backwards, level by level. Links that do not block may form cycles. */
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
  // The loop also visits the nodes that it adds.
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
