// One connection of the SDK. It reconnects until it is closed, and delivers slices in order.
// Rules: AUTH3, EVT1, EVT2, PUB5.

import type { PushTypes } from '@taskgraph/wire/public-types';
import type { Socket } from 'socket.io-client';
import { createCallQueue } from './call-queue.ts';
import { clientError, errorOf, type TaskgraphError } from './error.ts';
import { createFirstConnection, type FirstConnection } from './first-connection.ts';
import { createRateLimitWaits, type RateLimitWaits, requestedWaitMs } from './rate-limit-wait.ts';
import { isTransient, retryWaitMs } from './retry-policy.ts';
import { createSliceOrder, type Gap, type Slice } from './slice-order.ts';

/** The service's first push on a connection. `feeds` are the heads of the reader's feeds. */
export type Connected = Readonly<PushTypes['connected']>;

/**
 * A feed that the reader gained, lost, or reads at another level. `seq` is a number of the reader's
 * own feed.
 */
export type AccessChanged = Readonly<PushTypes['access:changed']>;

/**
 * The publication that an anonymous connection read has ended. The connection is closed for good.
 */
export type Unpublished = Readonly<PushTypes['unpublished']>;

/** The events of a connection, by kind. */
interface Events {
  diff: Slice;
  gap: Gap;
  access: AccessChanged;
  unpublished: Unpublished;
  /** The first push of each connection, before the gaps that follow from it. */
  connected: Connected;
  /** The connection is lost. The session reconnects. */
  disconnected: null;
  /**
   * The session has ended: the token was refused, the publication ended, or the caller closed it.
   */
  closed: TaskgraphError;
  /**
   * A slice that waits behind a gap. It follows as `diff`, unless its feed is fetched meanwhile.
   */
  waiting: Slice;
}
export type Unsubscribe = () => void;

export type Session = ReturnType<typeof openSession>;

/**
 * Keeps one socket connected, and delivers its events. `isFinal` decides whether a refusal that is
 * not known to be transient ends the session. By default it does.
 */
export function openSession(
  socket: Socket,
  rateLimitWaits: RateLimitWaits = createRateLimitWaits(),
  isFinal: (refusal: TaskgraphError) => boolean = () => true,
) {
  const queue = createCallQueue(socket, rateLimitWaits);
  const listeners = new Map<keyof Events, Set<(event: never) => void>>();
  const emit = <E extends keyof Events>(kind: E, event: Events[E]) => {
    for (const listener of listeners.get(kind) ?? []) listener(event as never);
  };
  const order = createSliceOrder({
    deliver: (slice) => emit('diff', slice),
    onGap: (gap) => emit('gap', gap),
    onWaiting: (slice) => emit('waiting', slice),
  });
  let connected: Connected | null = null;
  let position: string | null = null;
  let reconnectTimer: ReturnType<typeof setTimeout> | null = null;
  let refusals = 0;
  let waitToConnect = rateLimitWaits('connect');
  let first: FirstConnection | null = null;
  let isClosed = false;

  const close = (error = clientError('client.closed', 'The client is closed.')): void => {
    if (isClosed) return;
    isClosed = true;
    if (reconnectTimer !== null) clearTimeout(reconnectTimer);
    queue.close(error);
    order.stop();
    socket.disconnect();
    emit('closed', error);
  };
  const connectLater = (waitMs: number) => {
    reconnectTimer = setTimeout(() => socket.connect(), waitMs);
  };
  /** Milliseconds until the next attempt after a refusal, or null if there is none. */
  const retryInMs = (refusal: TaskgraphError): number | null => {
    // The handshake was late, which says nothing about the token.
    if (isTransient(refusal.code) || refusal.code === 'unauthorized.late') return retryWaitMs(++refusals);
    // A client that was connected before waits as long as the service asks.
    const requestedMs =
      waitToConnect(refusal) ?? (connected === null && isFinal(refusal) ? null : requestedWaitMs(refusal));
    return requestedMs ?? (isFinal(refusal) ? null : retryWaitMs(++refusals));
  };
  socket.on('connected', (body: Connected) => {
    connected = body;
    // After a reconnection the earlier position stays, since the changes since it are missing.
    position ??= body.position;
    refusals = 0;
    waitToConnect = rateLimitWaits('connect');
    first?.succeed();
    emit('connected', body);
    order.start(body.feeds);
    queue.setReady(true);
  });
  socket.on('graph:diff', (slice: Slice) => order.take(slice));
  socket.on('feeds:heads', ({ feeds }: { feeds: Record<string, number> }) => order.announce(feeds));
  socket.on('access:changed', (change: AccessChanged) => emit('access', change));
  socket.on('unpublished', (event: Unpublished) => {
    emit('unpublished', event);
    close(errorOf({ error: 'not_found', message: 'The publication has ended.' }));
  });
  socket.on('disconnect', (reason) => {
    queue.setReady(false);
    emit('disconnected', null);
    // Socket.IO reconnects a broken connection itself, but not one that the service has ended.
    if (reason === 'io server disconnect') connectLater(retryWaitMs(++refusals));
  });
  socket.on('connect_error', (error: Error & { data?: unknown }) => {
    first?.setReason(error.message);
    // Without data there was no answer, and Socket.IO retries itself.
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
    /** Connects in the background until a `connected` or `closed` event. */
    open: () => void socket.connect(),
    listen<E extends keyof Events>(kind: E, listener: (event: Events[E]) => void): Unsubscribe {
      const all = listeners.get(kind) ?? new Set();
      listeners.set(kind, all.add(listener));
      return () => void all.delete(listener);
    },
    close,
    connected: () => connected!,
    position: () => position ?? '',
    /** Sets the position up to which the caller has the graph. */
    setPosition(reached: string | undefined): void {
      position = reached ?? position;
    },
    async firstConnection(timeoutMs: number): Promise<void> {
      first = createFirstConnection(timeoutMs);
      socket.connect();
      await first.connected.finally(() => {
        first = null;
      });
    },
  };
}
