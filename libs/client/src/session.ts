// One connection of the SDK: it is kept up, and what comes over it is put in order and handed on. Rules: AUTH3, EVT1, EVT2, PUB5.

import type { PushTypes } from '@taskgraph/wire/public-types';
import type { Socket } from 'socket.io-client';
import { createCallQueue } from './call-queue.ts';
import { clientError, errorOf, type TaskgraphError } from './error.ts';
import { expectConnection, type FirstConnection } from './first-connection.ts';
import { askedWaitMs, createPatience, type Patience } from './patience.ts';
import { isPassing, retryWaitMs } from './retry.ts';
import { createSliceOrder, type Gap, type Slice } from './slice-order.ts';

/** The service's greeting: `feeds` are the numbers that the reader's feeds have reached. */
export type Connected = Readonly<PushTypes['connected']>;

/** A feed that the reader gained, lost, or reads at another level now; `seq` is a number of the reader's own feed. */
export type AccessChanged = Readonly<PushTypes['access:changed']>;

/** The publication that an anonymous connection read is over; the connection is closed for good. */
export type Unpublished = Readonly<PushTypes['unpublished']>;

/** The events of a connection, by kind. */
interface Events {
  diff: Slice;
  gap: Gap;
  access: AccessChanged;
  unpublished: Unpublished;
  /** The greeting of each connection, before anything that follows from it. */
  connected: Connected;
  /** The connection is lost, and is made again. */
  disconnected: null;
  /** The connection is over for good: the token is refused, the publication ended, or the caller closed it. */
  closed: TaskgraphError;
  /** A slice that waits behind a hole; it comes as `diff` later, unless its feed is fetched meanwhile. */
  waiting: Slice;
}
type Listeners = { readonly [E in keyof Events]: Set<(event: Events[E]) => void> };
export type Unlisten = () => void;

export type Session = ReturnType<typeof openSession>;

/**
 * Keeps one socket connected, and hands on what comes. `isFinal` says whether a refusal that is not known to pass ends the session; it always
 * does if not given.
 */
export function openSession(
  socket: Socket,
  patience: Patience = createPatience(),
  isFinal: (refusal: TaskgraphError) => boolean = () => true,
) {
  const queue = createCallQueue(socket, patience);
  const listeners: Listeners = {
    diff: new Set(),
    gap: new Set(),
    access: new Set(),
    unpublished: new Set(),
    connected: new Set(),
    disconnected: new Set(),
    closed: new Set(),
    waiting: new Set(),
  };
  const tell = <E extends keyof Events>(kind: E, event: Events[E]) => {
    for (const listener of listeners[kind]) listener(event);
  };
  const order = createSliceOrder({
    deliver: (slice) => tell('diff', slice),
    onGap: (gap) => tell('gap', gap),
    onWaiting: (slice) => tell('waiting', slice),
  });
  let connected: Connected | null = null;
  let position: string | null = null;
  let reconnectTimer: ReturnType<typeof setTimeout> | null = null;
  let refusals = 0;
  let waitToConnect = patience('connect');
  let first: FirstConnection | null = null;
  let isClosed = false;

  const close = (error = clientError('client.closed', 'The client is closed.')) => {
    if (isClosed) return;
    isClosed = true;
    if (reconnectTimer !== null) clearTimeout(reconnectTimer);
    queue.close(error);
    order.stop();
    socket.disconnect();
    tell('closed', error);
  };
  const connectLater = (waitMs: number) => {
    reconnectTimer = setTimeout(() => socket.connect(), waitMs);
  };
  /** Milliseconds until a refused connection is tried again, or null where that is of no use. */
  const retryInMs = (refusal: TaskgraphError): number | null => {
    // A network that held back what was said on time says nothing of the token.
    if (isPassing(refusal.code) || refusal.code === 'unauthorized.late') return retryWaitMs(++refusals);
    // A client that was connected before has all the patience that is asked for.
    const askedMs = waitToConnect(refusal) ?? (connected === null && isFinal(refusal) ? null : askedWaitMs(refusal));
    return askedMs ?? (isFinal(refusal) ? null : retryWaitMs(++refusals));
  };
  socket.on('connected', (body: Connected) => {
    connected = body;
    // After a lost connection the earlier position stands: what came meanwhile is asked for from there.
    position ??= body.position;
    refusals = 0;
    waitToConnect = patience('connect');
    first?.succeed();
    tell('connected', body);
    order.start(body.feeds);
    queue.setReady(true);
  });
  socket.on('graph:diff', (slice: Slice) => order.take(slice));
  socket.on('feeds:heads', ({ feeds }: { feeds: Record<string, number> }) => order.announce(feeds));
  socket.on('access:changed', (change: AccessChanged) => tell('access', change));
  socket.on('unpublished', (event: Unpublished) => {
    tell('unpublished', event);
    close(errorOf({ error: 'not_found', message: 'There is nothing public under this token any more.' }));
  });
  socket.on('disconnect', (reason) => {
    queue.setReady(false);
    tell('disconnected', null);
    // Socket.IO repairs a broken connection by itself, but not one that the service has ended on purpose.
    if (reason === 'io server disconnect') connectLater(retryWaitMs(++refusals));
  });
  socket.on('connect_error', (error: Error & { data?: unknown }) => {
    first?.note(error.message);
    // Without data nobody answered, and Socket.IO tries again by itself.
    if (error.data === undefined) return;
    const refusal = errorOf(error.data);
    const waitMs = retryInMs(refusal);
    if (waitMs === null) {
      close(refusal);
      first?.fail(refusal);
      return;
    }
    if (refusal.code === 'rate_limited') first?.extend(waitMs);
    connectLater(waitMs);
  });
  return {
    queue,
    order,
    /** Begins to connect, and goes on until it stands or is refused for good; `connected` and `closed` tell. */
    open: () => void socket.connect(),
    listen<E extends keyof Events>(kind: E, listener: (event: Events[E]) => void): Unlisten {
      listeners[kind].add(listener);
      return () => void listeners[kind].delete(listener);
    },
    close: (error?: TaskgraphError) => close(error),
    connected: () => connected!,
    position: () => position ?? '',
    /** Takes in how far the caller has the state of the graph. */
    setPosition(reached: string | undefined): void {
      position = reached ?? position;
    },
    async firstConnection(timeoutMs: number): Promise<void> {
      first = expectConnection(timeoutMs);
      socket.connect();
      await first.made.finally(() => {
        first = null;
      });
    },
  };
}
