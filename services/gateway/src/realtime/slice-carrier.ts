// Carries slices between gateways by Socket.IO's Redis adapter: a room, and with it a sharded channel of Redis, for each feed. The gateway
// itself is the room's only member here, since what of a slice its sockets may hear is decided by the feed's line first. Rules: EVT1, EVT4.
import { createShardedAdapter } from '@socket.io/redis-adapter';
import { type SliceMessage, sliceMessage } from '@taskgraph/wire/messages';
import { Server } from 'socket.io';
import { z } from 'zod';

/** A namespace that no client can reach: its server listens nowhere. Sockets are in rooms of another server, with other topics. */
const NAMESPACE = '/slices';
const EVENT = 'slice';
/** The name that stands in the rooms in place of a socket. */
const GATEWAY = 'gateway';

/** Takes a slice; `bytes` is its length on the wire. */
export type Take = (slice: SliceMessage, bytes: number) => void;

interface Options {
  readonly take: Take;
  readonly log: { error(fields: object, message: string): void };
}

/** The part that is read of a message from the adapter: an event with its arguments. */
const broadcast = z.object({
  uid: z.string(),
  data: z.object({ packet: z.object({ data: z.tuple([z.literal(EVENT), sliceMessage, z.int()]) }) }),
});

/** The part of `ClusterAdapter` that is for those who extend it; it is protected, so that types hide it. */
interface Receiving {
  readonly uid: string;
  onMessage(message: unknown): void;
  addAll(id: string, rooms: Set<string>): unknown;
  del(id: string, room: string): unknown;
}

/** `publisher` and `subscriber` are what the adapter takes for clients of Redis. */
export function createCarrier(publisher: unknown, subscriber: unknown, { take, log }: Options) {
  const server = new Server({ adapter: createShardedAdapter(publisher, subscriber, { subscriptionMode: 'dynamic' }) });
  const namespace = server.of(NAMESPACE);
  const adapter = namespace.adapter as unknown as Receiving;
  adapter.onMessage = (message) => {
    // This gateway's own messages come back to it.
    if ((message as { uid?: unknown }).uid === adapter.uid) return;
    const { success, data, error } = broadcast.safeParse(message);
    if (!success) return log.error({ error }, 'a slice of another gateway could not be read');
    const [, slice, bytes] = data.data.packet.data;
    try {
      take(slice, bytes);
    } catch (failure) {
      log.error({ error: failure }, 'a slice of another gateway could not be handed on');
    }
  };
  return {
    /** Sends a slice to the other gateways that have entered its feed. */
    send: (slice: SliceMessage, bytes: number) => void namespace.to(slice.feed).emit(EVENT, slice, bytes),
    enter: (feed: string) => void adapter.addAll(GATEWAY, new Set([feed])),
    leave: (feed: string) => void adapter.del(GATEWAY, feed),
    /** The channel of Redis that belongs to a feed. */
    channelOf: (feed: string) => `socket.io#${NAMESPACE}#${feed}#`,
  };
}
