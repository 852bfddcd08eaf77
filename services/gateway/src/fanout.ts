// Hands slices to the sockets of all gateways, over Redis. Redis may be away: then the sockets of this gateway still get them.

import { createShardedAdapter } from '@socket.io/redis-adapter';
import { stripDiff } from '@taskgraph/domain/public-view';
import { publicRoomOf, roomOf, type SliceMessage } from '@taskgraph/wire/messages';
import { Redis } from 'ioredis';
import type { Server } from 'socket.io';

const LONGEST_RECONNECT_WAIT_MS = 2_000;
/** After this time a publication counts as lost, so that a Redis that hangs does not fill the memory. */
const PUBLISH_LIMIT_MS = 1_000;
/** Publications on their way to Redis; past it they are dropped, which makes holes, and those heal. */
const MAXIMUM_PUBLISHING = 10_000;

interface FanoutLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The connections to Redis that the adapter works with. */
export interface Fanout {
  readonly adapter: ReturnType<typeof createShardedAdapter>;
  /** Rejects where Redis does not answer within a second. */
  ping(): Promise<unknown>;
  close(): void;
}

/** Connects in the background: the gateway serves whether Redis is there or not. */
export function connectFanout(url: string, log: FanoutLog): Fanout {
  const common = { retryStrategy: (attempt: number) => Math.min(attempt * 100, LONGEST_RECONNECT_WAIT_MS) };
  // Publications of an outage are dropped rather than kept: they would come late, and in a flood.
  const publisher = new Redis(url, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: PUBLISH_LIMIT_MS,
  });
  // Subscriptions of an outage are kept: their number is that of the rooms, and they are wanted when Redis is back.
  const subscriber = new Redis(url, { ...common, maxRetriesPerRequest: null });
  reportOutages(publisher, log);
  subscriber.on('error', () => undefined);
  return {
    adapter: createShardedAdapter(publishing(publisher, log), subscribing(subscriber), { subscriptionMode: 'dynamic' }),
    ping: () => publisher.ping(),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

/** One line at the start of an outage and one at its end, not one for each attempt. */
function reportOutages(redis: Redis, log: FanoutLog): void {
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

/** What the adapter publishes with. It resolves at once: the adapter hands a slice to its own sockets only after that. */
function publishing(redis: Redis, log: FanoutLog) {
  let underWay = 0;
  let lost = 0;
  return {
    async spublish(channel: string, content: string | Buffer): Promise<number> {
      if (underWay >= MAXIMUM_PUBLISHING) {
        lost++;
        return 0;
      }
      underWay++;
      redis
        .spublish(channel, content)
        .then(() => {
          if (lost > 0) log.warn({ lost }, 'slices did not reach other gateways');
          lost = 0;
        })
        .catch(() => lost++)
        .finally(() => underWay--);
      return 0;
    },
  };
}

/** What the adapter subscribes with; it ignores what becomes of a subscription, so that a failure must end here. */
function subscribing(redis: Redis) {
  return {
    on: redis.on.bind(redis),
    ssubscribe: (channel: string) => redis.ssubscribe(channel).catch(() => undefined),
    sunsubscribe: (channel: string) => redis.sunsubscribe(channel).catch(() => undefined),
  };
}

/** Sends slices to the rooms of their feeds, in order of arrival (EVT1), and to anonymous readers what they may see of them (PUB4). */
export function fanOut(io: Pick<Server, 'to'>, slices: readonly SliceMessage[]): void {
  for (const { feed, epoch, seq, diff, public: isPublic, access = [] } of slices) {
    const room = io.to(roomOf(feed, epoch));
    room.emit('graph:diff', { ...diff, feed, seq });
    // After the slice with which it is numbered, so that the number is no hole (EVT2).
    for (const change of access) room.emit('access:changed', { ...change, seq });
    if (isPublic) io.to(publicRoomOf(feed, epoch)).emit('graph:diff', { ...stripDiff(diff, feed), feed, seq });
  }
}
