// Passes slices to the gateways that serve their feeds, over Redis, and to this one. While Redis is
// away, slices reach only the sockets of the gateway that received them from a worker. Rules: EVT1,
// EVT2, PUB4.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { diffOf, diffWith, type RawSlice } from '@taskgraph/bus/events/raw-slice';
import { stripDiff } from '@taskgraph/domain/views/public-view';
import { openRedis, pingRedis, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import type { Server } from 'socket.io';
import { RawJson } from '../raw-json.ts';
import type { SliceSource } from './feed-channels.ts';
import type { FeedContext } from './feed-context.ts';
import { createCarrier, type OnSlice } from './slice-carrier.ts';
import { roomOf } from './subscriber.ts';
import type { Subscriber } from './subscription.ts';

/**
 * A publication without a reply for this long counts as lost, so that a hanging Redis does not fill
 * the memory.
 */
const PUBLISH_LIMIT_MS = 1_000;
/**
 * Publications in flight to Redis; past it they are dropped, which makes holes, and clients repair
 * those.
 */
const MAXIMUM_PUBLISHING = 10_000;
/** How long a starting gateway waits for Redis. */
const CONNECT_LIMIT_MS = 3_000;
/** How long a reader waits for the Redis subscription to their feed. */
const SUBSCRIBE_LIMIT_MS = 500;
/** The pause before the next attempt to subscribe, while a cluster has no node for the channel. */
const SUBSCRIBE_RETRY_MS = 500;
/**
 * The least time between two log lines on lost slices: one node of a cluster may fail while the
 * others work.
 */
const LOST_REPORT_MS = 1_000;

interface FanoutLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The connections to Redis over which gateways exchange slices. */
export interface Fanout extends SliceSource {
  /** Resolves when publications reach Redis, or after a while without it. */
  connected(): Promise<void>;
  /** Passes slices to the other gateways and to this one. */
  publish(slices: readonly RawSlice[]): void;
  /** Rejects if Redis does not answer within a second. */
  ping(): Promise<unknown>;
  close(): void;
}

interface FanoutOptions {
  readonly redis: RedisOptions;
  /** Receives the slices of subscribed feeds, and every slice that this gateway publishes. */
  readonly onSlice: OnSlice;
  /** Called if slices may be lost between gateways: while Redis is away, and once it is back. */
  readonly onLoss: () => void;
  readonly log: FanoutLog;
}

/** Connects in the background: the gateway serves with or without Redis. */
export function connectFanout({ redis, onSlice, onLoss, log }: FanoutOptions): Fanout {
  // Publications during an outage are dropped: queued, they would arrive late and all at once.
  const publisher = openRedis(redis, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: PUBLISH_LIMIT_MS,
    // The publications of one turn of the event loop are sent in one write.
    enableAutoPipelining: true,
  });
  // Subscriptions during an outage are queued: they are as many as the feeds, and are needed when
  // Redis is back.
  const subscriber = openRedis(redis, { maxRetriesPerRequest: null, subscribes: true });
  reportOutages(publisher, log);
  for (const client of [publisher, subscriber]) reportLosses(client, onLoss);
  subscriber.on('error', () => undefined);
  const subscriptions = new Map<string, Promise<unknown>>();
  const ready = once(publisher, 'ready', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) }).catch(() => undefined);
  const carrier = createCarrier(publishing(publisher, { onLoss, log }), subscribing(subscriber, subscriptions), {
    onSlice,
    log,
  });
  return {
    publish(slices) {
      carrier.send(slices);
      for (const slice of slices) onSlice(slice, slice.json.length);
    },
    connected: () => ready.then(() => undefined),
    subscribe(feed) {
      carrier.enter(feed);
      const subscribed = subscriptions.get(carrier.channelOf(feed));
      if (subscribed === undefined || subscriber.status !== 'ready') return null;
      return Promise.race([subscribed, sleep(SUBSCRIBE_LIMIT_MS, undefined, { ref: false })]).then(() => undefined);
    },
    unsubscribe: carrier.leave,
    isConnected: () => publisher.status === 'ready' && subscriber.status === 'ready',
    ping: () => pingRedis(publisher),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Logs the start and the end of an outage, not each attempt. */
function reportOutages(redis: RedisClient, log: FanoutLog): void {
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn({ error }, 'Redis is away: slices reach only the sockets of this gateway');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info({}, 'Redis is back');
    away = false;
  });
}

/**
 * Reports the start and the end of an outage. A cluster with one lost node stays connected; there,
 * failed publications show the loss.
 */
function reportLosses(redis: RedisClient, onLoss: () => void): void {
  let isAway = false;
  redis.on('close', () => {
    isAway = true;
    onLoss();
  });
  redis.on('ready', () => {
    if (isAway) onLoss();
    isAway = false;
  });
}

/**
 * The adapter's publishing client. It resolves at once, since nothing waits for Redis; a failed
 * publication is lost.
 */
function publishing(redis: RedisClient, { onLoss, log }: Pick<FanoutOptions, 'onLoss' | 'log'>) {
  let underWay = 0;
  let lost = 0;
  let reportedMs = 0;
  const report = () => {
    if (lost === 0 || performance.now() - reportedMs < LOST_REPORT_MS) return;
    log.warn({ lost }, 'slices did not reach other gateways');
    lost = 0;
    reportedMs = performance.now();
  };
  const noteLost = () => {
    lost++;
    onLoss();
  };
  return {
    async spublish(channel: string, content: string | Buffer): Promise<number> {
      if (underWay >= MAXIMUM_PUBLISHING) {
        noteLost();
        return 0;
      }
      underWay++;
      redis
        .spublish(channel, content)
        .then(report)
        .catch(noteLost)
        .finally(() => underWay--);
      return 0;
    },
  };
}

/**
 * The adapter's subscribing client. The adapter ignores the outcome of a subscription, so `pending`
 * keeps it until the subscription is established or no longer wanted. In a cluster it fails until a
 * replica has replaced a lost master, and is retried.
 */
function subscribing(redis: RedisClient, pending: Map<string, Promise<unknown>>) {
  const wanted = new Set<string>();
  async function untilSubscribed(channel: string): Promise<void> {
    while (wanted.has(channel) && redis.status !== 'end') {
      try {
        return void (await redis.ssubscribe(channel));
      } catch {
        await sleep(SUBSCRIBE_RETRY_MS, undefined, { ref: false });
      }
    }
  }
  return {
    on: redis.on.bind(redis),
    ssubscribe(channel: string): Promise<unknown> {
      wanted.add(channel);
      const subscribed = untilSubscribed(channel).finally(() => {
        if (pending.get(channel) === subscribed) pending.delete(channel);
      });
      pending.set(channel, subscribed);
      return subscribed;
    },
    async sunsubscribe(channel: string): Promise<void> {
      wanted.delete(channel);
      await redis.sunsubscribe(channel).catch(() => undefined);
    },
  };
}

/**
 * Turns slices into events for the rooms of their feeds (EVT1), stripped for anonymous readers
 * (PUB4).
 */
export function deliverBy(io: Pick<Server, 'to'>): Pick<FeedContext, 'deliver' | 'deliverTo'> {
  return {
    deliver(slice, to) {
      if (to.users) emitWhole(io.to(roomOf('user', slice.feed)), slice);
      if (to.public) emitStripped(io.to(roomOf('public', slice.feed)), slice);
    },
    deliverTo({ audience, socket }, slice) {
      if (audience.kind === 'user') emitWhole(socket, slice);
      else emitStripped(socket, slice);
    },
  };
}

type Emitter = Pick<Subscriber['socket'], 'emit'>;

function emitWhole(to: Emitter, slice: RawSlice): void {
  const { feed, seq, access = [] } = slice;
  to.emit('graph:diff', new RawJson(diffWith(slice, { feed, seq })));
  // After the slice with the same number, so that the number is not a hole (EVT2).
  for (const change of access) to.emit('access:changed', { ...change, seq });
}

function emitStripped(to: Emitter, slice: RawSlice): void {
  const { feed, seq } = slice;
  if (slice.public) to.emit('graph:diff', { ...stripDiff(diffOf(slice), feed), feed, seq });
}
