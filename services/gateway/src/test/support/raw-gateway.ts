// A gateway's sockets with their real parts: uWebSockets, Socket.IO, subscriptions and the token
// watch. Workers answer from a table.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import type { Rates } from '@taskgraph/commands/rate-limits';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { IdentityMessage } from '@taskgraph/wire/bus/gateway-reads';
import { refuse } from '@taskgraph/wire/errors';
import { afterEach, expect } from 'vitest';
import type { Authenticate } from '../../auth/authentication.ts';
import { countInFlight } from '../../calls/in-flight.ts';
import { appForSocketIo, createApp, listen } from '../../http/uws.ts';
import { deliverBy } from '../../realtime/fanout.ts';
import { createFeedAuthorizer } from '../../realtime/feed-authorizer.ts';
import type { FeedAuthorization } from '../../realtime/subscriber.ts';
import { createSubscriptions } from '../../realtime/subscriptions.ts';
import { createTokenWatch } from '../../realtime/token-watch.ts';
import { createCallLimiter } from '../../socket/call-limiter.ts';
import { connectionOf } from '../../socket/connection.ts';
import { type ConnectionQuotaBounds, createConnectionQuotas } from '../../socket/connection-quotas.ts';
import { type ConnectionBounds, createConnections } from '../../socket/connections.ts';
import { createFeedLookup } from '../../socket/feed-lookup.ts';
import { attachTo, createSocketServer } from '../../socket/socket-server.ts';
import { serveSockets } from '../../socket/sockets.ts';
import { createAskWorkers } from '../../worker-client.ts';
import { dialRaw, type RawClient } from './raw-socket.ts';
import { createCounting } from './test-limits.ts';
import { unobserved } from './unobserved.ts';

export const BOUNDS: ConnectionBounds = {
  backpressureBytes: 1_048_576,
  allBackpressureBytes: 128 * 1_048_576,
  unauthenticatedOfAddress: 1_000,
  unauthenticated: 1_000,
  authenticationMs: 60_000,
  refusalsAMinute: 300,
  readingOutMs: 5_000,
};
export const QUOTAS: ConnectionQuotaBounds = { 'sockets:user': 1_000, 'sockets:ip': 1_000 };

export interface RawGatewayOptions {
  readonly bounds?: Partial<ConnectionBounds>;
  readonly quotas?: Partial<ConnectionQuotaBounds>;
  /** Counting limits; the others allow everything. */
  readonly rates?: Partial<Rates>;
  /** Milliseconds between two pings, and the time limit for their answers. */
  readonly pingMs?: number;
  /** Replaces the table of tokens. */
  readonly authenticate?: Authenticate;
}

/** The readers and their feeds, from which workers answer. Tokens are named by the auth payload. */
export interface KnownReaders {
  readonly tokens: Map<string, IdentityMessage>;
  /** Feeds by the id of a user. */
  readonly users: Map<string, FeedAuthorization[]>;
  readonly published: Map<string, FeedAuthorization>;
}

export async function startRawGateway({ bounds = {}, rates = {}, ...options }: RawGatewayOptions = {}) {
  const known: KnownReaders = { tokens: new Map(), users: new Map(), published: new Map() };
  const problems: unknown[] = [];
  const log = {
    warn: (fields: object) => void problems.push(fields),
    error: (fields: object) => void problems.push(fields),
  };
  const requester = { read: async (message: ReadMessage) => answerOf(message, known) };
  const limits = createCounting(rates);
  const connections = createConnections({ bounds: { ...BOUNDS, ...bounds }, limits, log });
  const quotas = createConnectionQuotas({ kind: 'sockets', bounds: { ...QUOTAS, ...options.quotas }, limits });
  const app = createApp();
  const pings = options.pingMs === undefined ? {} : { pingInterval: options.pingMs, pingTimeout: options.pingMs };
  const io = createSocketServer(pings);
  const addressOf = (remote: string, forwarded: string) => forwarded || remote;
  const { backpressureBytes } = { ...BOUNDS, ...bounds };
  attachTo(appForSocketIo(app, { connections, addressOf, backpressureBytes }), io);
  const askWorkers = createAskWorkers({ requester, log, onMalformed: (event) => void problems.push(event) });
  const delivery = deliverBy(io);
  const source = { subscribe: () => null, unsubscribe: () => undefined, isConnected: () => true };
  const counts = { skipped: 0, unexplained: 0 };
  const feedLookups = { copied: 0, looked_up: 0 };
  const authorize = createFeedAuthorizer({ askWorkers });
  const subscriptions = createSubscriptions({ authorize, source, counts, feedLookups, log, ...delivery });
  const tokens = createTokenWatch({ askWorkers, forget: () => undefined, log });
  const calls: string[] = [];
  let answer: Record<string, unknown> = {};
  let held: Promise<void> | null = null;
  serveSockets(io, {
    authenticate:
      options.authenticate ?? (async (token) => known.tokens.get(String(token)) ?? refuse('unauthorized', 'No.')),
    dispatch: async ({ operation }) => {
      calls.push(operation.name);
      await held;
      return { ok: true, body: answer };
    },
    limits,
    quotas,
    connectionOf,
    subscriptions,
    tokens,
    log,
    feedLookup: createFeedLookup({ askWorkers, deadlineMs: 5_000 }),
    allowedOrigins: [],
    cookies: { isSecure: true },
    isStopping: () => false,
    inFlight: countInFlight(),
    callLimiter: createCallLimiter(),
    observe: unobserved,
  });
  const listener = await listen(app, '127.0.0.1', 0);
  const clients: RawClient[] = [];
  let seq = 100;
  return {
    known,
    problems,
    limits,
    connections,
    quotas,
    subscriptions,
    tokens,
    calls,
    io,
    url: `http://127.0.0.1:${listener.port}`,
    /** Sets the answer to further calls. */
    answerWith(body: Record<string, unknown>): void {
      answer = body;
    },
    /** Makes calls wait until the returned function is called. */
    holdAnswers(): () => void {
      let release = () => undefined as unknown;
      held = new Promise<void>((resolve) => {
        release = resolve;
      });
      return () => void release();
    },
    /** Opens a WebSocket without a Socket.IO packet. */
    async dial(address?: string): Promise<RawClient> {
      const headers: Record<string, string> = address === undefined ? {} : { 'X-Forwarded-For': address };
      const client = await dialRaw(`http://127.0.0.1:${listener.port}`, headers);
      clients.push(client);
      return client;
    },
    /** Sends a slice to the rooms of a feed, of users and of anonymous readers. */
    publish(feed: string, title = 't'): void {
      const nodes = [{ op: 1, before: { id: 'a', version: 1 }, after: { id: 'a', version: 2, title } }];
      const diff = { batchId: 'b', ts: 't', nodes, links: [], access: [] };
      delivery.deliver(rawSliceOf({ feed, epoch: 1, seq: seq++, diff, public: true }), { users: true, public: true });
    },
    async stop() {
      for (const client of clients) client.destroy();
      listener.close();
      subscriptions.stop();
      connections.stop();
      quotas.stop();
      await io.close();
    },
  };
}

export type RawGateway = Awaited<ReturnType<typeof startRawGateway>>;

function answerOf({ event, payload }: ReadMessage, known: KnownReaders): ReplyMessage {
  const leveled = (feeds: readonly FeedAuthorization[] = []) => feeds.map((feed) => ({ ...feed, level: 3 }));
  switch (event) {
    case 'public:feeds': {
      const asked = payload.tokens as string[];
      const tokens = asked.flatMap((token) => {
        const feed = known.published.get(token);
        return feed === undefined ? [] : [{ token, ...feed }];
      });
      return { ok: true, body: { tokens } };
    }
    case 'tokens:check': {
      const valid = new Set([...known.tokens.values()].map(({ token }) => token.id));
      return { ok: true, body: { valid: (payload.tokens as string[]).filter((id) => valid.has(id)) } };
    }
    default: {
      const readers = (payload.readers as { id: string }[]).map(({ id }) => ({
        id,
        feeds: leveled(known.users.get(id)),
        position: 'p',
      }));
      return { ok: true, body: { readers } };
    }
  }
}

/** Gateways of a file's tests. Each is stopped after its test and must have logged no problem. */
export function rawGateways() {
  let gateway: RawGateway | undefined;
  afterEach(async () => {
    const problems = gateway?.problems;
    await gateway?.stop();
    gateway = undefined;
    expect(problems ?? []).toEqual([]);
  });
  /**
   * Starts a gateway with these users. A name is also the user's id and token, and reads the given
   * feeds.
   */
  return async (users: Readonly<Record<string, string>>, options: RawGatewayOptions = {}): Promise<RawGateway> => {
    gateway = await startRawGateway(options);
    for (const [id, feed] of Object.entries(users)) {
      const user = { id, username: id, email: `${id}@example.com` };
      gateway.known.tokens.set(id, { user, token: { id, kind: 'api', readOnly: false, expires: null } });
      gateway.known.users.set(id, [{ feed, epoch: 1, seq: 1, due: null }]);
    }
    return gateway;
  };
}
