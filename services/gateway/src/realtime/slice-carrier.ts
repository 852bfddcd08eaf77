// Carries slices between gateways by Socket.IO's Redis adapter: a room, and with it a sharded channel of Redis, for each feed. The gateway
// itself is the room's only member here, since what of a slice its sockets may hear is decided by the feed's line first. Rules: EVT1, EVT4.
import { createShardedAdapter } from '@socket.io/redis-adapter';
import { type RawSlice, readRawSlice } from '@taskgraph/bus/events/raw-slice';
import { Server } from 'socket.io';
import { z } from 'zod';

/** A namespace that no client can reach: its server listens nowhere. Sockets are in rooms of another server, with other topics. Its number is that of `SLICES_QUEUE`. */
const NAMESPACE = '/slices.3';
const EVENT = 'slices';
/** The name that stands in the rooms in place of a socket. */
const GATEWAY = 'gateway';

/** Takes a slice; `bytes` is its length on the wire. */
export type Take = (slice: RawSlice, bytes: number) => void;

interface Options {
  readonly take: Take;
  readonly log: { error(fields: object, message: string): void };
}

/** The part that is read of a message from the adapter: an event with its arguments, here the JSON of slices of one feed. */
const broadcast = z.object({
  data: z.object({ packet: z.object({ data: z.tuple([z.literal(EVENT), z.array(z.string())]) }) }),
});

/** The part of the adapter that is for those who extend it; it is protected, so that types hide it. */
interface Receiving {
  readonly uid: string;
  onRawMessage(message: Buffer, channel: Buffer): void;
  onMessage(message: unknown): void;
  addAll(id: string, rooms: Set<string>): unknown;
  del(id: string, room: string): unknown;
}

/** `publisher` and `subscriber` are what the adapter takes for clients of Redis. */
export function createCarrier(publisher: unknown, subscriber: unknown, { take, log }: Options) {
  const server = new Server({ adapter: createShardedAdapter(publisher, subscriber, { subscriptionMode: 'dynamic' }) });
  const namespace = server.of(NAMESPACE);
  const adapter = namespace.adapter as unknown as Receiving;
  const read = adapter.onRawMessage.bind(adapter);
  // This gateway's own messages come back to it, nearly as many as it sends: they are told by their end, before anything reads them.
  const ownEnd = Buffer.from(JSON.stringify({ uid: adapter.uid, nsp: NAMESPACE }).slice(1));
  adapter.onRawMessage = (message, channel) => {
    if (!message.subarray(-ownEnd.length).equals(ownEnd)) read(message, channel);
  };
  adapter.onMessage = (message) => {
    const { success, data, error } = broadcast.safeParse(message);
    if (!success) return log.error({ error }, 'slices of another gateway could not be read');
    const [, slices] = data.data.packet.data;
    for (const json of slices) {
      try {
        take(readRawSlice(json), json.length);
      } catch (failure) {
        log.error({ error: failure }, 'a slice of another gateway could not be handed on');
      }
    }
  };
  return {
    /** Sends slices, those of a feed together and in order, to the other gateways that have entered it. */
    send(slices: readonly RawSlice[]): void {
      const byFeed = new Map<string, string[]>();
      for (const { feed, json } of slices) {
        const others = byFeed.get(feed);
        if (others === undefined) byFeed.set(feed, [json]);
        else others.push(json);
      }
      for (const [feed, some] of byFeed) namespace.to(feed).emit(EVENT, some);
    },
    enter: (feed: string) => void adapter.addAll(GATEWAY, new Set([feed])),
    leave: (feed: string) => void adapter.del(GATEWAY, feed),
    /** The channel of Redis that belongs to a feed. */
    channelOf: (feed: string) => `socket.io#${NAMESPACE}#${feed}#`,
  };
}
