// The session of the console: signs in and out, and opens the replica by the browser's cookie. No
// token stays in the page. One store for the page.
import { account, openReplica, type Replica, signIn as requestSession } from '@taskgraph/client';
import { useSyncExternalStore } from 'react';
import { createGraphIndex, type GraphIndex } from '../graph/graph-index.ts';

/**
 * `opening`: it is not known yet whether the browser has a session. `hasEnded`: a session ended
 * while it was open here, by the reader or elsewhere.
 */
export type Session =
  | { readonly kind: 'opening' }
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  | { readonly kind: 'open'; readonly replica: Replica; readonly index: GraphIndex };

const url = location.origin;
const listeners = new Set<() => void>();
let session: Session = { kind: 'opening' };

function set(next: Session): void {
  session = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

/** Opens the replica; without a session of the browser, the page is signed out. */
export async function openSession(): Promise<void> {
  const replica = await openReplica({ url, session: true });
  const follow = () => {
    const { state } = replica;
    if (state === 'signed-out') return end(replica);
    const isFirst = session.kind === 'opening' && state !== 'offline';
    if (isFirst) set({ kind: 'open', replica, index: createGraphIndex(replica) });
  };
  replica.on('state', follow);
  follow();
}

/** Throws a TaskgraphError `unauthorized` if the e-mail or password is wrong. */
export async function signIn(credentials: { readonly email: string; readonly password: string }): Promise<void> {
  // The answer also has the session as a token, for programs. The page drops it.
  await requestSession({ url, ...credentials });
  set({ kind: 'opening' });
  await openSession();
}

/** Throws a TaskgraphError if the service cannot be reached: then the session stays open. */
export async function signOut(): Promise<void> {
  if (session.kind !== 'open') return;
  const { replica, index } = session;
  set({ kind: 'opening' });
  index.stop();
  // First, or the replica would connect again while the service ends its socket.
  await replica.close();
  try {
    await account({ url, session: true }).signOut();
    set({ kind: 'signed-out', hasEnded: true });
  } catch (error) {
    await openSession();
    throw error;
  }
}

/** Nothing of the graph stays in the page. */
function end(replica: Replica): void {
  if (session.kind === 'open') {
    if (session.replica !== replica) return;
    session.index.stop();
  }
  set({ kind: 'signed-out', hasEnded: session.kind === 'open' });
  void replica.close();
}
