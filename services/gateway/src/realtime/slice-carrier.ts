// Carries slices between gateways over Socket.IO's Redis adapter: each feed has a room, and so a
// sharded channel of Redis. The room's only member here is the gateway itself, since the feed's
// channel decides which sockets receive a slice. Rules: EVT1, EVT4.
import { createShardedAdapter } from '@socket.io/redis-adapter';
import { type RawSlice, readRawSlice } from '@taskgraph/bus/events/raw-slice';
import { Server } from 'socket.io';
import { z } from 'zod';

/**
 * No client reaches this namespace: its server does not listen, and sockets belong to another
 * server. Its number is that of `SLICES_QUEUE`.
 */
const NAMESPACE = '/slices.3';
const EVENT = 'slices';
/** The gateway's name as a member of rooms, in place of a socket's id. */
const GATEWAY = 'gateway';

/** `bytes` is the slice's length on the wire. */
export type OnSlice = (slice: RawSlice, bytes: number) => void;

interface CarrierOptions {
  readonly onSlice: OnSlice;
  readonly log: { error(fields: object, message: string): void };
}

/**
 * The part of an adapter's message that is read: an event with its arguments, the JSON of slices of
 * one feed.
 */
const broadcast = z.object({
  data: z.object({ packet: z.object({ data: z.tuple([z.literal(EVENT), z.array(z.string())]) }) }),
});

/** The protected part of the adapter, which types hide. */
interface ProtectedAdapter {
  readonly uid: string;
  onRawMessage(message: Buffer, channel: Buffer): void;
  onMessage(message: unknown): void;
  addAll(id: string, rooms: Set<string>): unknown;
  del(id: string, room: string): unknown;
}

/** `publisher` and `subscriber` are the adapter's Redis clients. */
export function createCarrier(publisher: unknown, subscriber: unknown, { onSlice, log }: CarrierOptions) {
  const server = new Server({ adapter: createShardedAdapter(publisher, subscriber, { subscriptionMode: 'dynamic' }) });
  const namespace = server.of(NAMESPACE);
  const adapter = namespace.adapter as unknown as ProtectedAdapter;
  const read = adapter.onRawMessage.bind(adapter);
  // Redis sends the gateway nearly all of its own messages back. Their ending identifies them
  // before they are parsed.
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
        onSlice(readRawSlice(json), json.length);
      } catch (failure) {
        log.error({ error: failure }, 'a slice of another gateway could not be passed on');
      }
    }
  };
  return {
    /**
     * Sends slices to the other gateways that entered their feeds; those of one feed together and
     * in order.
     */
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
    /** The Redis channel of a feed. */
    channelOf: (feed: string) => `socket.io#${NAMESPACE}#${feed}#`,
  };
}
