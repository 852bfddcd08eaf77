// Subscriptions with fakes around them: sockets that record their events, and workers that answer
// from a table.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import type { Server } from 'socket.io';
import { RawJson } from '../../raw-json.ts';
import { deliverBy } from '../../realtime/fanout.ts';
import { createFeedAuthorizer } from '../../realtime/feed-authorizer.ts';
import type { Audience, FeedAuthorization, SubscriberSocket } from '../../realtime/subscriber.ts';
import { createSubscriptions } from '../../realtime/subscriptions.ts';
import { createAskWorkers } from '../../worker-client.ts';

/** A socket that records its rooms, its events, and whether it was closed. */
export interface FakeSocket extends SubscriberSocket {
  readonly rooms: Set<string>;
  readonly sent: [event: string, body: unknown][];
  isClosed: boolean;
}

/** The body of an event as its receiver reads it. */
export function readBody(body: unknown): unknown {
  return body instanceof RawJson ? JSON.parse(body.text) : body;
}

export function fakeSocket(): FakeSocket {
  const rooms = new Set<string>();
  const sent: FakeSocket['sent'] = [];
  const socket: FakeSocket = {
    rooms,
    sent,
    isClosed: false,
    join: (room) => void rooms.add(room),
    leave: (room) => void rooms.delete(room),
    emit: (event, body) => void sent.push([event, readBody(body)]),
    disconnect: () => {
      socket.isClosed = true;
    },
  };
  return socket;
}

export const authorization = (
  feed: string,
  epoch: number,
  more: Partial<FeedAuthorization> = {},
): FeedAuthorization => ({
  feed,
  epoch,
  seq: epoch * 10,
  due: null,
  ...more,
});

export const userOf = (id: string) => ({
  kind: 'user' as const,
  user: { id, username: id, email: `${id}@example.com` },
});

/**
 * The workers' knowledge: the feeds of users by id, and those of public tokens. A reader in neither
 * is gone.
 */
export interface KnownReaders {
  readonly users: Map<string, FeedAuthorization[]>;
  readonly tokens: Map<string, FeedAuthorization>;
}

/** More readers and feeds than any test has. The usual caches would take longer to allocate than a test. */
const MAXIMUM_CACHED = 100;

interface TestState {
  refusal: ReplyMessage | null;
  held: Promise<void> | null;
  opening: Promise<void> | null;
  /** Whether slices of other gateways arrive. */
  isConnected: boolean;
}

/**
 * Subscriptions whose questions to workers are recorded. A new feed waits for `state.opening`.
 * `hold` keeps answers back until `release`; they are made when asked.
 */
export function testSubscriptions() {
  const known: KnownReaders = { users: new Map(), tokens: new Map() };
  const asked: ReadMessage[] = [];
  const logged: string[] = [];
  const sockets: FakeSocket[] = [];
  const left: string[] = [];
  const state: TestState = { refusal: null, held: null, opening: null, isConnected: true };
  const requester = {
    async read(message: ReadMessage): Promise<ReplyMessage> {
      asked.push(message);
      const reply = state.refusal ?? answerOf(message, known);
      await state.held;
      return reply;
    },
  };
  const log = {
    warn: (_: object, text: string) => logged.push(text),
    error: (fields: object) => logged.push(fields.toString()),
  };
  const malformed: string[] = [];
  const askWorkers = createAskWorkers({ requester, log, onMalformed: (event) => void malformed.push(event) });
  const counts = { skipped: 0, unexplained: 0 };
  const feedLookups = { copied: 0, looked_up: 0 };
  const source = {
    subscribe: () => state.opening,
    unsubscribe: (feed: string) => void left.push(feed),
    isConnected: () => state.isConnected,
  };
  const authorize = createFeedAuthorizer({ askWorkers });
  const { deliver, deliverTo } = deliverBy({ to: (room: string) => ({ emit: emitTo(room) }) } as unknown as Server);
  const options = { authorize, source, counts, feedLookups, log, deliver, deliverTo };
  const real = createSubscriptions({ ...options, maximumCached: MAXIMUM_CACHED });
  const subscriptions = {
    ...real,
    receive: (slice: SliceMessage, bytes: number) => real.receive(rawSliceOf(slice), bytes),
    /** Opens the channels of the feeds first, unless a test says otherwise. */
    add(socket: FakeSocket, audience: Audience, feeds: readonly FeedAuthorization[], { isListening = true } = {}) {
      if (isListening) void real.listen(feeds.map(({ feed }) => feed));
      return real.add(socket, audience, feeds);
    },
  };
  const emitTo = (room: string) => (event: string, body: unknown) => {
    for (const socket of sockets) if (socket.rooms.has(room)) socket.emit(event, body);
  };
  const hold = () => {
    let release = () => undefined as unknown;
    state.held = new Promise<void>((resolve) => {
      release = resolve;
    });
    return () => {
      state.held = null;
      release();
    };
  };
  /** A socket that receives the messages of its rooms. */
  const newSocket = () => {
    const socket = fakeSocket();
    sockets.push(socket);
    return socket;
  };
  return { known, asked, logged, state, subscriptions, malformed, hold, counts, feedLookups, left, newSocket };
}

function answerOf({ event, payload }: ReadMessage, known: KnownReaders): ReplyMessage {
  if (event === 'public:feeds') {
    const tokens = (payload.tokens as string[]).flatMap((token) => {
      const feed = known.tokens.get(token);
      return feed === undefined ? [] : [{ token, ...feed }];
    });
    return { ok: true, body: { tokens } };
  }
  const readers = (payload.readers as { id: string }[]).flatMap(({ id }) => {
    const feeds = known.users.get(id);
    return feeds === undefined ? [] : [{ id, feeds: feeds.map((feed) => ({ ...feed, level: 3 })), position: 'p' }];
  });
  return { ok: true, body: { readers } };
}
