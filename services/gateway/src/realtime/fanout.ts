// Hands slices to all gateways that serve their feeds, over Redis, and to the sockets of this one. Redis may be away: then slices reach
// only the sockets of the gateway that took them from a worker.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { diffOf, diffWith, type RawSlice } from '@taskgraph/bus/events/raw-slice';
import { stripDiff } from '@taskgraph/domain/views/public-view';
import { openRedis, pingRedis, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import type { Server } from 'socket.io';
import { RawJson } from '../raw-json.ts';
import type { Listening } from './feed-lines.ts';
import type { LineGround } from './line-ground.ts';
import { createCarrier, type Take } from './slice-carrier.ts';
import { roomOf, type Subscriber } from './subscriber.ts';

/** After this time a publication counts as lost, so that a Redis that hangs does not fill the memory. */
const PUBLISH_LIMIT_MS = 1_000;
/** Publications on their way to Redis; past it they are dropped, which makes holes, and those heal. */
const MAXIMUM_PUBLISHING = 10_000;
/** A gateway that starts waits no longer than this for its Redis. */
const CONNECT_LIMIT_MS = 3_000;
/** A reader who is about to hear a feed waits no longer than this for its subscription. */
const SUBSCRIBE_LIMIT_MS = 500;
/** Between two tries to subscribe where a cluster has nobody for the channel yet. */
const SUBSCRIBE_RETRY_MS = 500;
/** Between two lines of the log on what did not reach other gateways: of a cluster, one part may fail while the others go on. */
const LOST_REPORT_MS = 1_000;

interface FanoutLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The connections to Redis over which gateways hand slices to each other, and what carries them. */
export interface Fanout extends Listening {
  /** Resolves when publications reach Redis, or after a while without it. */
  connected(): Promise<void>;
  /** Hands slices on from now on; until then there is nobody to hear them. */
  start(take: Take): void;
  /** Hands slices to the other gateways, and to this one. */
  publish(slices: readonly RawSlice[]): void;
  /** Rejects where Redis does not answer within a second. */
  ping(): Promise<unknown>;
  close(): void;
}

/** Connects in the background: the gateway serves whether Redis is there or not. */
export function connectFanout(options: RedisOptions, log: FanoutLog): Fanout {
  let take: Take | null = null;
  // Publications of an outage are dropped rather than kept: they would come late, and in a flood.
  const publisher = openRedis(options, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: PUBLISH_LIMIT_MS,
    // Publications of one turn go out in one write.
    enableAutoPipelining: true,
  });
  // Subscriptions of an outage are kept: their number is that of the feeds, and they are wanted when Redis is back.
  const subscriber = openRedis(options, { maxRetriesPerRequest: null, subscribes: true });
  reportOutages(publisher, log);
  subscriber.on('error', () => undefined);
  const subscriptions = new Map<string, Promise<unknown>>();
  const ready = once(publisher, 'ready', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) }).catch(() => undefined);
  const handOn: Take = (slice, bytes) => take?.(slice, bytes);
  const carrier = createCarrier(publishing(publisher, log), subscribing(subscriber, subscriptions), {
    take: handOn,
    log,
  });
  return {
    publish(slices) {
      carrier.send(slices);
      for (const slice of slices) handOn(slice, slice.json.length);
    },
    connected: () => ready.then(() => undefined),
    subscribe(feed) {
      carrier.enter(feed);
      const subscribed = subscriptions.get(carrier.channelOf(feed));
      if (subscribed === undefined || subscriber.status !== 'ready') return null;
      return Promise.race([subscribed, sleep(SUBSCRIBE_LIMIT_MS, undefined, { ref: false })]).then(() => undefined);
    },
    start(given) {
      take = given;
    },
    unsubscribe: carrier.leave,
    ping: () => pingRedis(publisher),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** One line at the start of an outage and one at its end, not one for each attempt. */
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

/** The client that the adapter publishes with. It resolves at once, since nothing waits for Redis; what fails is lost. */
function publishing(redis: RedisClient, log: FanoutLog) {
  let underWay = 0;
  let lost = 0;
  let reportedMs = 0;
  const report = () => {
    if (lost === 0 || performance.now() - reportedMs < LOST_REPORT_MS) return;
    log.warn({ lost }, 'slices did not reach other gateways');
    lost = 0;
    reportedMs = performance.now();
  };
  return {
    async spublish(channel: string, content: string | Buffer): Promise<number> {
      if (underWay >= MAXIMUM_PUBLISHING) {
        lost++;
        return 0;
      }
      underWay++;
      redis
        .spublish(channel, content)
        .then(report)
        .catch(() => lost++)
        .finally(() => underWay--);
      return 0;
    },
  };
}

/**
 * The client that the adapter subscribes with. It ignores what becomes of a subscription: that is kept in `pending` until it stands or is not
 * wanted any more. Of a cluster it fails where a replica has not taken its master's place yet, and is tried again.
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

/** How slices become events of sockets: for the rooms of their feeds (EVT1), and stripped for anonymous readers (PUB4). */
export function deliverBy(io: Pick<Server, 'to'>): Pick<LineGround, 'deliver' | 'deliverTo'> {
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
  // After the slice with which it is numbered, so that the number is no hole (EVT2).
  for (const change of access) to.emit('access:changed', { ...change, seq });
}

function emitStripped(to: Emitter, slice: RawSlice): void {
  const { feed, seq } = slice;
  if (slice.public) to.emit('graph:diff', { ...stripDiff(diffOf(slice), feed), feed, seq });
}
