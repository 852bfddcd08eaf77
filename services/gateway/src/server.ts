// The composition of the gateway: one app for REST and sockets, and an orderly end.

import { setTimeout as sleep } from 'node:timers/promises';
import { serveControl } from '@taskgraph/bus/events/control';
import { serveSlices } from '@taskgraph/bus/events/slices';
import type { Bus } from '@taskgraph/bus/nats/connect';
import { createRequester } from '@taskgraph/bus/requests/request';
import { createIdFactory } from '@taskgraph/runtime/ids';
import type { BackendChecks } from '@taskgraph/runtime/service/health';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { Server } from 'socket.io';
import {
  type CalendarHandler,
  type CalendarHandlerOptions,
  createCalendarHandler,
} from './accounts/calendars/calendar-handler.ts';
import type { ServiceFacts } from './accounts/capabilities.ts';
import { type AccountSettings, baseUrlOf, createAccounts } from './accounts/table.ts';
import { createAuthenticator, type EndedTokens } from './auth/authentication.ts';
import { createWrongTokens } from './auth/wrong-tokens.ts';
import { createObserve } from './calls/call-observer.ts';
import { createDispatch } from './calls/dispatch.ts';
import { countInFlight } from './calls/in-flight.ts';
import { servedFiles } from './files/served-files.ts';
import { clientAddress, type TrustedProxies } from './http/client-address.ts';
import { createCompression } from './http/compression.ts';
import { createOpenRequests, type RequestBounds } from './http/open-requests.ts';
import { appForSocketIo, createApp, listen } from './http/uws.ts';
import { type Limits, reportRefusals } from './limits/limits.ts';
import { createLongPoll, type LongPollBounds } from './long-poll/long-poll.ts';
import type { GatewayMetrics, MetricSources } from './metrics.ts';
import { connectFanout, deliverBy, type Fanout } from './realtime/fanout.ts';
import { createFeedAuthorizer } from './realtime/feed-authorizer.ts';
import { createHeadsRound } from './realtime/heads.ts';
import { repeat } from './realtime/periodic.ts';
import { createSubscriptions, followControl, type Subscriptions } from './realtime/subscriptions.ts';
import { createTokenWatch, type TokenWatch } from './realtime/token-watch.ts';
import { serveRest } from './rest/rest.ts';
import { createCallLimiter } from './socket/call-limiter.ts';
import { connectionOf } from './socket/connection.ts';
import { type ConnectionQuotaBounds, createConnectionQuotas } from './socket/connection-quotas.ts';
import { type ConnectionBounds, createConnections } from './socket/connections.ts';
import { createFeedLookup } from './socket/feed-lookup.ts';
import { attachTo, createSocketServer } from './socket/socket-server.ts';
import { closeWhenIdle, serveSockets } from './socket/sockets.ts';
import { createAskWorkers } from './worker-client.ts';

const REQUESTS_LIMIT_MS = 5_000;
const CLOSING_GROUPS = 20;
const CLOSING_GROUP_SOCKETS = 100;
const CLOSING_WAIT_MS = 100;

interface GatewayOptions {
  host: string;
  port: number;
  redis: RedisOptions;
  deadlineMs: number;
  /**
   * Milliseconds for which a stopping gateway still serves, while its readiness probe already
   * fails.
   */
  noticeMs: number;
  /**
   * Milliseconds between two checks of the heads of the feeds served here, and of the sockets'
   * tokens.
   */
  headsIntervalMs: number;
  allowedOrigins: readonly string[];
  /** Seconds for which browsers use only HTTPS (`max-age` of HSTS); 0 sends no such header. */
  hstsSeconds: number;
  trustedProxies: TrustedProxies;
  bounds: ConnectionBounds & {
    readonly quotas: ConnectionQuotaBounds;
    readonly rest: RequestBounds;
    readonly wrongTokens: number;
    readonly waiting: LongPollBounds;
  };
  /** Stays open when the gateway stops. */
  limits: Limits;
  accounts: AccountSettings;
  /** Whether agents are served at `/mcp`. */
  agents: boolean;
  service: ServiceFacts;
  /** Whether answers over REST are compressed. */
  compresses: boolean;
  metrics: GatewayMetrics;
  bus: Bus;
  log: Log;
}

/** A listening gateway, with its actual port. */
export interface Gateway {
  readonly port: number;
  /** Checks whether its backends answer. */
  readonly backends: BackendChecks;
  /**
   * Serves for `noticeMs` more, then accepts no new work, answers all waiting calls, closes sockets
   * in groups, lets requests finish for at most 5 s, and closes its resources. The bus stays open.
   */
  stop(): Promise<void>;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { bus, log, metrics, deadlineMs, allowedOrigins, trustedProxies } = options;
  const limits = reportRefusals(options.limits, metrics.noteLimited);
  const [app, compression] = [createApp(), createCompression({ isOn: options.compresses })];
  const requester = createRequester(bus);
  const { bounds } = options;
  const io = createSocketServer({ connectTimeout: bounds.authenticationMs });
  const addressOf = (remote: string, forwarded: string) => clientAddress(remote, forwarded, trustedProxies);
  const connections = createConnections({ bounds, limits, log });
  const quotas = createConnectionQuotas({ kind: 'sockets', bounds: bounds.quotas, limits });
  const requests = createOpenRequests(bounds.rest);
  // Socket.IO's engine claims its path before REST takes all the others.
  attachTo(appForSocketIo(app, { connections, addressOf, backpressureBytes: bounds.backpressureBytes }), io);
  let [isLeaving, isStopping] = [false, false];
  const newId = createIdFactory();
  const { wrongTokens, wrongAddresses, unseen } = wrongSecretsOf(bounds.wrongTokens);
  const askWorkers = createAskWorkers({ requester, log, onMalformed: metrics.noteMalformed });
  const { authenticate, forget } = createAuthenticator({ askWorkers, deadlineMs, wrongTokens });
  const [audit, inFlight] = [createAudit(log), countInFlight()];
  const shared = {
    authenticate,
    dispatch: createDispatch({ requester, newId, deadlineMs, audit }),
    inFlight,
    isStopping: () => isStopping,
    allowedOrigins,
    cookies: options.accounts.cookies,
    limits,
    observe: createObserve({ metrics, log }),
    addressOf,
    requests,
    log,
  };
  const problem = () => {
    if (isLeaving) return 'This gateway is stopping.';
    return bus.connected() ? null : 'The message bus is not connected.';
  };
  const fanout = connectFanout({
    redis: options.redis,
    onSlice: (slice, bytes) => subscriptions.receive(slice, bytes),
    onLoss: () => subscriptions.dropFeedLookups(),
    log,
  });
  const tokens = createTokenWatch({ askWorkers, forget, log });
  const feedLookup = createFeedLookup({ askWorkers, deadlineMs });
  const following = { subscriptions: () => subscriptions, feedLookup };
  const waitingCalls = createLongPoll({ ...following, ...shared, tokens, bounds: bounds.waiting });
  const subscriptions = createSubscriptions({
    authorize: createFeedAuthorizer({ askWorkers }),
    source: fanout,
    counts: metrics.counts,
    feedLookups: metrics.feedLookups,
    log,
    ...waitingCalls.deliveryWith(deliverBy(io)),
  });
  const callLimiter = createCallLimiter();
  serveSockets(io, { ...shared, callLimiter, subscriptions, tokens, feedLookup, quotas, connectionOf });
  serveRest(app, {
    // From the start of the notice, each answer ends its connection, so that none is left after it.
    ...shared,
    isStopping: () => isLeaving,
    waitingCalls,
    tokens,
    audit,
    problem,
    compression,
    hstsSeconds: options.hstsSeconds,
    files: servedFiles({ page: options.service.docs, console: options.service.console }),
    agents: options.agents,
    calendars: calendarHandlerOf(options, { ...shared, askWorkers, wrongAddresses }),
    ...createAccounts({
      settings: options.accounts,
      service: options.service,
      requester,
      deadlineMs,
      newId,
      inFlight,
      audit,
      log,
      backOff: limits.backOff,
    }),
  });
  const watched = { limits, connections, quotas, requests, compression, waitingCalls, unseen, calls: callLimiter };
  metrics.watch({ ...watched, ...realtimeSources(io, subscriptions) });
  // Slices received before the connection would reach no other gateway.
  await fanout.connected();
  const busFollower = followBus({ bus, metrics, log, fanout, subscriptions, tokens, forget });
  const everyRound = { intervalMs: options.headsIntervalMs, log };
  const periodic = [
    repeat({
      ...everyRound,
      round: createHeadsRound({ io, subscriptions, askWorkers, onHead: waitingCalls.noteHead, log }),
    }),
    repeat({ ...everyRound, round: tokens.check }),
  ];
  await limits.started();
  const listener = await listen(app, options.host, options.port).catch((error: unknown) => {
    fanout.close();
    throw error;
  });
  log.info({ host: options.host, port: listener.port }, 'the gateway listens');
  return {
    port: listener.port,
    backends: { nats: bus.ping, redis: fanout.ping },
    async stop() {
      isLeaving = true;
      await sleep(options.noticeMs);
      isStopping = true;
      listener.close();
      waitingCalls.drain();
      busFollower.ignoreConnection();
      await Promise.all(periodic.map((each) => each.stop()));
      // Sockets receive every event until they are closed.
      await closeSockets(io);
      await busFollower.stop();
      subscriptions.stop();
      await shared.inFlight.idle(REQUESTS_LIMIT_MS);
      requester.stop();
      await io.close();
      connections.stop();
      quotas.stop();
      waitingCalls.stop();
      fanout.close();
    },
  };
}

/** Wrong tokens and wrong addresses of calendars, which are counted apart. */
function wrongSecretsOf(most: number) {
  const [wrongTokens, wrongAddresses] = [createWrongTokens(most), createWrongTokens(most, 'calendars')];
  return { wrongTokens, wrongAddresses, unseen: () => wrongTokens.refused() + wrongAddresses.refused() };
}

/** Calendars, whose addresses begin with that of the service. */
function calendarHandlerOf(
  { accounts, service, deadlineMs }: GatewayOptions,
  shared: Omit<CalendarHandlerOptions, 'deadlineMs' | 'baseOf' | 'hasConsole'>,
): CalendarHandler {
  const baseOf = (host: string) => baseUrlOf(accounts, host);
  return createCalendarHandler({ ...shared, deadlineMs, baseOf, hasConsole: service.console });
}

function realtimeSources(io: Server, subscriptions: Subscriptions): Pick<MetricSources, 'sockets' | 'rooms' | 'held'> {
  return { sockets: () => io.engine.clientsCount, rooms: subscriptions.roomCount, held: subscriptions.held };
}

interface BusFollowerOptions extends Pick<GatewayOptions, 'bus' | 'metrics' | 'log'> {
  readonly fanout: Pick<Fanout, 'publish'>;
  readonly subscriptions: Subscriptions;
  readonly tokens: TokenWatch;
  /** Drops cached identities of ended tokens. */
  readonly forget: (ended: EndedTokens) => void;
}

/**
 * Publishes slices from the bus, applies control messages, and recovers after an outage of the bus.
 */
function followBus({ bus, metrics, log, fanout, subscriptions, tokens, forget }: BusFollowerOptions) {
  const slices = serveSlices(bus, (received) => {
    metrics.counts.slices += received.length;
    fanout.publish(received);
  });
  const control = serveControl(bus, (message) => {
    // The cache first, so that no socket connects by it while sockets are closed.
    forget(message);
    tokens.end(message);
    followControl(subscriptions, message);
  });
  // Messages from an outage of the bus are lost.
  const ignoreConnection = bus.onConnection((connected) => {
    if (!connected) {
      subscriptions.dropFeedLookups();
      return;
    }
    subscriptions.reauthorizeAll();
    tokens.check().catch((error: unknown) => log.error({ error }, 'tokens could not be checked'));
  });
  return {
    ignoreConnection,
    async stop(): Promise<void> {
      await Promise.all([slices.stop(), control.stop()]);
    },
  };
}

/**
 * Closes sockets in groups with some jitter between, so that their clients do not all connect to
 * the other gateways at once.
 */
async function closeSockets(io: Server): Promise<void> {
  const sockets = [...io.sockets.sockets.values()];
  const size = Math.max(CLOSING_GROUP_SOCKETS, Math.ceil(sockets.length / CLOSING_GROUPS));
  for (let start = 0; start < sockets.length; start += size) {
    if (start > 0) await sleep(CLOSING_WAIT_MS * (0.5 + Math.random()));
    for (const socket of sockets.slice(start, start + size)) closeWhenIdle(socket);
  }
}
