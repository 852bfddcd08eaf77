// The session of the console: signs in and out, and opens the replica by the browser's cookie. No
// token stays in the page. One store for the page.
import {
  account,
  type FallbackStorage,
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
import type { LostChanges } from './lost-changes.ts';
import { dismissAll, dismissOffers, note } from './notices.ts';
import { ownChangesOf } from './own-changes.ts';
import { type PlanClient, startPlanClient } from './plan-client.ts';
import { choosePreference } from './preferences.ts';
import { removeReturnAddress, takeReturnAddress } from './return-address.ts';
import { recordShares } from './share-changes.ts';

/**
 * `opening`: it is not known yet whether the browser has a session; `isOffline`: the service cannot
 * be reached.
 */
export type Session =
  | { readonly kind: 'opening'; readonly isOffline?: true }
  | { readonly kind: 'signed-out'; readonly why: SignedOutReason }
  | OpenSession;

type SignedOutReason =
  /** The session ended while it was open here, by the reader or elsewhere. */
  | 'ended'
  /** It ended elsewhere before so many changes were sent. */
  | { readonly unsent: number }
  /** The service refused a sign-in link. */
  | { readonly refusal: unknown }
  /** The service refused a sign-in with the provider, with this code. */
  | { readonly providerRefusal: string }
  /** The browser had no session. */
  | null;

interface OpenSession {
  readonly kind: 'open';
  readonly replica: Replica;
  readonly index: GraphIndex;
  readonly plans: PlanClient;
  readonly copy: FallbackStorage;
}

const url = location.origin;
const listeners = new Set<() => void>();
let session: Session = { kind: 'opening' };
/** The token of a sign-in link that is not used yet. */
let link: string | null = null;
/** The code with which the service refused a sign-in with the provider, until the sign-in form says why. */
let providerRefusal: string | null = null;
/** Replicas that the page has closed. Their last events say nothing about the session. */
const closed = new WeakSet<Replica>();
/** The end of the last reader's copy on this device. */
let removal: Promise<void> = Promise.resolve();

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
  readFragment();
  takeReturnAddress(providerRefusal !== null);
  // A link that the reader pastes into the open page.
  addEventListener('hashchange', () => {
    readFragment();
    if (link !== null && session.kind === 'signed-out') void signInBy(link);
  });
  addEventListener('beforeunload', (event) => {
    // Nothing else has these changes.
    if (session.kind === 'open' && isOnlyHere(session)) event.preventDefault();
  });
  await openSession();
}

/** Whether the page has changes that are not stored. */
function isOnlyHere({ replica, copy }: OpenSession): boolean {
  return replica.unstored > 0 || (!copy.isStoring && replica.waiting + replica.refusals().length > 0);
}

function readFragment(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.pathname !== '/signin' || given.size === 0) return;
  link = given.get('link') ?? link;
  // It concerns nobody who is signed in.
  providerRefusal = session.kind === 'open' ? null : given.get('refused');
  // The address would stay in the history of the browser.
  history.replaceState(null, '', location.pathname);
}

/**
 * Opens the replica, and shows its copy on this device before the service answers. Without a session of
 * the browser, the page is signed out.
 */
async function openSession(): Promise<void> {
  // Whoever signs in without the provider stays where they are.
  removeReturnAddress();
  await removal;
  const { openDeviceCopy } = await deviceCopy();
  const copy = openDeviceCopy();
  const replica = await openReplica({ url, session: true, storage: copy, showStored: true });
  recordShares(replica);
  // The stored graph and the first rendering together would block the page for too long.
  await new Promise((resolve) => setTimeout(resolve));
  let reader: string | null = null;
  const follow = () => {
    const { state, userId } = replica;
    if (closed.has(replica)) return;
    if (state === 'signed-out') return end(replica, copy);
    reader ??= userId;
    // Another tab has signed in as somebody else, and the replica has connected again.
    if (userId !== null && userId !== reader) return restart(replica, copy);
    if (session.kind === 'opening' && state === 'offline' && userId === null) set({ kind: 'opening', isOffline: true });
    else if (session.kind === 'opening') {
      // From the first command on.
      ownChangesOf(replica);
      const plans = startPlanClient(replica, reportPlan);
      providerRefusal = null;
      set({ kind: 'open', replica, index: createGraphIndex(replica), plans, copy });
    }
    // Only the service knows whether the browser has a session.
    if (link === null || state === 'offline') return;
    note('refused', messages.linkUnused);
    link = null;
  };
  replica.on('state', follow);
  // They may name tasks that the reader does not see any more.
  replica.on('access', dismissOffers);
  follow();
}

/** Of a reader who may be another one: what an earlier one left on this device is deleted before. */
async function openNewSession(userId: string): Promise<void> {
  removal = removal.then(async () => (await deviceCopy()).deleteForeignCopy(userId));
  await openSession();
}

/**
 * Whether this device stores a copy, from now on. Without one, there is none at once. Returns whether it is
 * so now; if not, a message says why.
 */
export async function setCopyEnabled(isOn: boolean): Promise<boolean> {
  choosePreference('copy', isOn ? 'system' : 'off');
  if (session.kind !== 'open') return true;
  const { copy } = session;
  await (isOn ? copy.turnOn() : copy.turnOff({ all: true }));
  return copy.isStoring === isOn;
}

/** Throws a TaskgraphError `unauthorized` if the e-mail or password is wrong. */
export async function signIn(credentials: { readonly email: string; readonly password: string }): Promise<void> {
  // The answer also has the session as a token, for programs. The page drops it.
  const { user } = await requestSession({ url, ...credentials });
  set({ kind: 'opening' });
  await openNewSession(user.id);
}

/** The changes that signing out would delete; null if there are none. */
export async function changesLostBySigningOut(): Promise<LostChanges | null> {
  const { findLostChanges } = await deviceCopy();
  const open = openedSession();
  return open && findLostChanges(open.replica, open.copy);
}

/**
 * Throws a TaskgraphError if the service cannot be reached: then the session stays open, and so do its
 * changes. Returns those that it would delete, with which the session stays open too, unless it `mayLose`
 * them.
 */
export async function signOut({ mayLose = false } = {}): Promise<LostChanges | null> {
  if (openedSession() === null) return null;
  await account({ url, session: true }).me();
  const lost = mayLose ? null : await changesLostBySigningOut();
  // It may have ended meanwhile.
  const open = openedSession();
  if (lost !== null || open === null) return lost;
  const { replica, copy } = open;
  stopWork(open);
  set({ kind: 'opening' });
  // Before the session, or the replica would connect again while the service ends its socket.
  await close(replica);
  try {
    await account({ url, session: true }).signOut();
    removal = endCopy(copy);
    await removal;
    clearParameters();
    set({ kind: 'signed-out', why: 'ended' });
    return null;
  } catch (error) {
    await openSession();
    throw error;
  }
}

/** A file of its own: the page paints before it is there. */
const deviceCopy = () => import('./device-copy.ts');

async function endCopy(copy: FallbackStorage): Promise<void> {
  const { deleteDeviceCopy } = await deviceCopy();
  await deleteDeviceCopy(copy);
}

function openedSession(): OpenSession | null {
  return session.kind === 'open' ? session : null;
}

function stopWork({ index, plans }: OpenSession): void {
  index.stop();
  plans.stop();
}

function reportPlan(reason: string): void {
  note('refused', messages.ready.planFailed(reason));
}

/** Nothing of the graph stays in the page, or on this device. */
function end(replica: Replica, copy: FallbackStorage): void {
  if (session.kind === 'open') {
    if (session.replica !== replica) return;
    stopWork(session);
    // The filter has words of this reader; the next one may be another.
    clearParameters();
  }
  const { waiting } = replica;
  forget(replica, copy);
  if (link !== null) return void signInBy(link);
  const endReason = waiting > 0 ? { unsent: waiting } : 'ended';
  const startReason = providerRefusal === null ? null : { providerRefusal };
  providerRefusal = null;
  set({ kind: 'signed-out', why: session.kind === 'open' ? endReason : startReason });
}

/** Opens the session of another reader. */
function restart(replica: Replica, copy: FallbackStorage): void {
  if (session.kind === 'open') stopWork(session);
  clearParameters();
  forget(replica, copy);
  set({ kind: 'opening' });
  void openSession();
}

/** The commands that end with the replica leave messages, which are not for the next reader. */
function forget(replica: Replica, copy: FallbackStorage): void {
  dismissAll();
  removal = Promise.all([removal, close(replica).finally(dismissAll)]).then(() => endCopy(copy));
}

function close(replica: Replica): Promise<void> {
  closed.add(replica);
  return replica.close();
}

async function signInBy(token: string): Promise<void> {
  set({ kind: 'opening' });
  let userId: string;
  try {
    userId = (await signInByLink({ url, token })).user.id;
  } catch (refusal) {
    // Any other failure leaves the link as it is: it works again when the page is loaded.
    if (refusal instanceof TaskgraphError && refusal.code === 'not_found') link = null;
    return set({ kind: 'signed-out', why: { refusal } });
  }
  link = null;
  await openNewSession(userId);
}
