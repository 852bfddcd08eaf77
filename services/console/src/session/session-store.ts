// The session of the console: signs in and out, and opens the replica by the browser's cookie. No
// token stays in the page. One store for the page.
import {
  account,
  openReplica,
  type Replica,
  signIn as requestSession,
  signInByLink,
  TaskgraphError,
} from '@taskgraph/client';
import { useSyncExternalStore } from 'react';
import { createGraphIndex, type GraphIndex } from '../graph/graph-index.ts';
import { clearParameters } from '../history.ts';
import { messages } from '../messages/messages.ts';
import { dismissAll, dismissOffers, note } from './notices.ts';
import { ownChangesOf } from './own-changes.ts';
import { type PlanClient, startPlanClient } from './plan-client.ts';
import { recordShares } from './share-changes.ts';

/**
 * `opening`: it is not known yet whether the browser has a session; `isOffline`: the service cannot
 * be reached. `why`: a session ended while it
 * was open here, by the reader or elsewhere; or the service refused a sign-in link; or null.
 */
export type Session =
  | { readonly kind: 'opening'; readonly isOffline?: true }
  | { readonly kind: 'signed-out'; readonly why: 'ended' | { readonly refusal: unknown } | null }
  | OpenSession;

interface OpenSession {
  readonly kind: 'open';
  readonly replica: Replica;
  readonly index: GraphIndex;
  readonly plans: PlanClient;
}

const url = location.origin;
const listeners = new Set<() => void>();
let session: Session = { kind: 'opening' };
/** The token of a sign-in link that is not used yet. */
let link: string | null = null;

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

/**
 * Opens the session of the browser, or the one of a sign-in link in the address (AUTH5). Whoever is
 * signed in stays so: a link from somebody else does not change the account.
 */
export async function startSession(): Promise<void> {
  takeLink();
  // A link that the reader pastes into the open page.
  addEventListener('hashchange', () => {
    takeLink();
    if (link !== null && session.kind === 'signed-out') void signInBy(link);
  });
  await openSession();
}

function takeLink(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('link');
  if (location.pathname === '/signin' && given !== null) {
    link = given;
    // The address would stay in the history of the browser.
    history.replaceState(null, '', location.pathname);
  }
}

/** Opens the replica; without a session of the browser, the page is signed out. */
async function openSession(): Promise<void> {
  const replica = await openReplica({ url, session: true });
  recordShares(replica);
  let reader: string | null = null;
  const follow = () => {
    const { state, userId } = replica;
    if (state === 'signed-out') return end(replica);
    reader ??= userId;
    // Another tab has signed in as somebody else, and the replica has connected again.
    if (userId !== null && userId !== reader) return restart(replica);
    const isFirst = session.kind === 'opening' && state !== 'offline';
    if (session.kind === 'opening' && state === 'offline') set({ kind: 'opening', isOffline: true });
    if (!isFirst) return;
    // From the first command on.
    ownChangesOf(replica);
    set({ kind: 'open', replica, index: createGraphIndex(replica), plans: startPlanClient(replica, reportPlan) });
    if (link !== null) note('refused', messages.linkUnused);
    link = null;
  };
  replica.on('state', follow);
  // They may name tasks that the reader does not see any more.
  replica.on('access', dismissOffers);
  follow();
}

/** Throws a TaskgraphError `unauthorized` if the e-mail or password is wrong. */
export async function signIn(credentials: { readonly email: string; readonly password: string }): Promise<void> {
  // The answer also has the session as a token, for programs. The page drops it.
  await requestSession({ url, ...credentials });
  set({ kind: 'opening' });
  await openSession();
}

/**
 * Throws a TaskgraphError if the service cannot be reached: then the session stays open, and so do the
 * changes that wait to be sent.
 */
export async function signOut(): Promise<void> {
  if (session.kind !== 'open') return;
  const { replica } = session;
  await account({ url, session: true }).me();
  stopWork(session);
  set({ kind: 'opening' });
  // Before the session, or the replica would connect again while the service ends its socket.
  await replica.close();
  try {
    await account({ url, session: true }).signOut();
    clearParameters();
    set({ kind: 'signed-out', why: 'ended' });
  } catch (error) {
    await openSession();
    throw error;
  }
}

function stopWork({ index, plans }: OpenSession): void {
  index.stop();
  plans.stop();
}

function reportPlan(reason: string): void {
  note('refused', messages.ready.planFailed(reason));
}

/** Nothing of the graph stays in the page. */
function end(replica: Replica): void {
  if (session.kind === 'open') {
    if (session.replica !== replica) return;
    stopWork(session);
    // The filter has words of this reader; the next one may be another.
    clearParameters();
  }
  forget(replica);
  if (link !== null && session.kind === 'opening') return void signInBy(link);
  set({ kind: 'signed-out', why: session.kind === 'open' ? 'ended' : null });
}

/** Opens the session of another reader. */
function restart(replica: Replica): void {
  if (session.kind === 'open') stopWork(session);
  clearParameters();
  forget(replica);
  set({ kind: 'opening' });
  void openSession();
}

/** The commands that end with the replica leave messages, which are not for the next reader. */
function forget(replica: Replica): void {
  dismissAll();
  void replica.close().finally(dismissAll);
}

async function signInBy(token: string): Promise<void> {
  set({ kind: 'opening' });
  try {
    await signInByLink({ url, token });
  } catch (refusal) {
    // Any other failure leaves the link as it is: it works again when the page is loaded.
    if (refusal instanceof TaskgraphError && refusal.code === 'not_found') link = null;
    return set({ kind: 'signed-out', why: { refusal } });
  }
  link = null;
  await openSession();
}
