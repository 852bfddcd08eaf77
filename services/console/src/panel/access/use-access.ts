// Who has access to a task, as far as its reader may know. It is read again when a push changes it.
import type { AccessPath, Grant, Replica } from '@taskgraph/client';
import { useCallback, useEffect, useState } from 'react';
import { useWorkspace } from '../../session/workspace.tsx';
import { accessRefusal } from './access-calls.ts';
import { sharedTaskOf } from './shared-task.ts';

/** `all`: whether it covers all readers; else only the caller. */
export interface TaskAccess {
  readonly all: boolean;
  /** The shares of the task itself. */
  readonly grants: readonly Grant[];
  /** The `after` of the next page of them. */
  readonly next: string | undefined;
  /** The other ways by which readers see it. */
  readonly ways: readonly AccessPath[];
  /** Whether there are more ways than these. */
  readonly truncated: boolean;
}

export type AccessState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'loaded'; readonly access: TaskAccess };

export interface AccessQuery {
  readonly state: AccessState;
  readonly reload: () => void;
  /** Adds the next page of shares. */
  readonly readMore: () => void;
}

const LOADING: AccessState = { kind: 'loading' };

export function useAccess(id: string, all: boolean): AccessQuery {
  const { replica } = useWorkspace();
  const [state, setState] = useState<AccessState>(LOADING);
  const [reading, setReading] = useState(0);
  const reload = useCallback(() => setReading((number) => number + 1), []);
  useEffect(() => {
    let isCurrent = reading >= 0;
    const show = (next: AccessState) => {
      if (isCurrent) setState(next);
    };
    readAccess(replica, id, all)
      .then((access) => show({ kind: 'loaded', access }))
      .catch((error: unknown) => show({ kind: 'refused', reason: accessRefusal(error) }));
    return () => {
      isCurrent = false;
    };
  }, [replica, id, all, reading]);
  useEffect(() => onSharingChange(replica, id, reload), [replica, id, reload]);
  const readMore = () => {
    if (state.kind !== 'loaded' || state.access.next === undefined) return;
    const { access } = state;
    replica
      .call('node:access:list', { id, after: state.access.next })
      .then(({ grants, next }) =>
        setState((now) =>
          // A newer list has its own next page.
          now === state ? { kind: 'loaded', access: { ...access, grants: [...access.grants, ...grants], next } } : now,
        ),
      )
      .catch((error: unknown) => setState({ kind: 'refused', reason: accessRefusal(error) }));
  };
  return { state, reload, readMore };
}

async function readAccess(replica: Replica, id: string, all: boolean): Promise<TaskAccess> {
  const [{ grants, next }, { access, truncated }] = await Promise.all([
    replica.call('node:access:list', { id }),
    replica.call('node:why', { id, all }),
  ]);
  // The list of all shares says more than these ways do. Other readers see only their own way.
  const isShareHere = ({ by, root }: AccessPath) => all && root === id && (by === 'grant' || by === 'branch');
  const ways = access.filter((way) => !isShareHere(way) && !(way.by === 'publication' && way.root === id));
  return { all, grants, next, ways, truncated: truncated === true };
}

/** Calls the listener when a push changes a share of the task, or the branches to which it belongs. */
function onSharingChange(replica: Replica, id: string, changed: () => void): () => void {
  const ends = [
    replica.on('slice', ({ access = [] }) => {
      if (access.some(({ before, after }) => before.id === id || after.id === id)) changed();
    }),
    replica.on('access', changed),
    replica.subscribe(({ nodes }) => {
      const node = nodes.get(id);
      return node === undefined ? '' : `${node.access} ${sharedTaskOf(node).shareRoots}`;
    }, changed),
  ];
  return () => {
    for (const end of ends) end();
  };
}
