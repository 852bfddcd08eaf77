// The connection to NATS: opened once at start and kept until shutdown.
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizationError, connect, type NatsConnection, type Status } from '@nats-io/transport-node';
import { INBOX_PREFIX } from './subjects.ts';
import { createWriteBuffer, type WriteBuffer } from './write-buffer.ts';

const FIRST_CONNECT_TRIES = 40;
const FIRST_CONNECT_WAIT_MS = 500;
const DIAL_LIMIT_MS = 5_000;
const RECONNECT_WAIT_MS = 250;
const DRAIN_LIMIT_MS = 5_000;
// Detects a half-open connection after two lost pings; the default of two minutes exceeds every
// deadline.
const PING_INTERVAL_MS = 5_000;
/**
 * Length of the longest message with its headers (parts.ts). A server with a lower limit would lose
 * replies of committed commands.
 */
const LEAST_PAYLOAD_BYTES = 512 * 1024;

/** The part of a structured log that the bus writes to. */
export interface BusLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An open bus. Only this library uses `connection`, `log` and `inbox`. */
export interface Bus extends Pick<WriteBuffer, 'publish'> {
  readonly connection: NatsConnection;
  readonly log: BusLog;
  /** Prefix of the subjects for replies to this process. */
  readonly inbox: string;
  /**
   * False during an outage and after `close`. Do not publish then. The bus reconnects without help.
   */
  connected(): boolean;
  /**
   * Whether NATS answers. False without a connection; otherwise it waits for as long as NATS is
   * silent.
   */
  ping(): Promise<boolean>;
  /** Resolves when the server has received everything published so far. */
  flush(): Promise<void>;
  /**
   * Calls the listener when the connection is lost (false) or restored (true). Returns a function
   * that removes the listener.
   */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Stops receiving, sends buffered messages and closes the connection, within 5 s. */
  close(): Promise<void>;
}

/** The services that have NATS users of their own (deploy/nats/users.conf). */
export type BusService = 'gateway' | 'worker' | 'jobs' | 'hooks' | 'admin';

interface BusOptions {
  /**
   * `nats://host:port`, or a comma-separated list. `tls` decides whether the connection is
   * encrypted.
   */
  url: string;
  user: string;
  password: string;
  /** The connection's name in the server's monitoring. */
  name: string;
  /**
   * The kind of this service. Its replies use subjects that only its kind may read; without it they
   * use subjects that every service may read.
   */
  service?: BusService;
  /**
   * Requires an encrypted connection. Missing fields fall back to the platform's defaults. Without
   * it TLS is not required.
   */
  tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly servername?: string };
  log: BusLog;
}

/**
 * Connects to NATS. It tries 40 times, half a second apart, because backends may start later than
 * services; then it throws an Error with the address. Wrong credentials and untrusted certificates
 * throw at once. After the first connection it reconnects without limit.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { log, service } = options;
  const inbox = service === undefined ? INBOX_PREFIX : `${INBOX_PREFIX}.${service}`;
  const connection = await firstConnection(options, inbox);
  const { max_payload: payloadBytes = 0 } = connection.info ?? {};
  if (payloadBytes < LEAST_PAYLOAD_BYTES) {
    await connection.close();
    throw new Error(
      `NATS takes messages of ${payloadBytes} bytes: its max_payload must be ${LEAST_PAYLOAD_BYTES} or more`,
    );
  }
  const listeners = new Set<(connected: boolean) => void>();
  let connected = true;
  let closing = false;
  let pinging: Promise<void> | null = null;
  const change = (now: boolean) => {
    if (now === connected) return;
    connected = now;
    for (const listener of listeners) listener(now);
  };
  void watchStatus(connection, log, change);
  const buffer = createWriteBuffer(connection, { isConnected: () => connected, log });
  return {
    connection,
    log,
    inbox,
    publish: buffer.publish,
    flush() {
      buffer.flush();
      return connection.flush();
    },
    connected: () => connected && !closing,
    async ping() {
      if (!connected || closing) return false;
      // Concurrent callers share one ping, so a hung server receives only one.
      pinging ??= connection.flush().finally(() => {
        pinging = null;
      });
      await pinging;
      return true;
    },
    onConnection(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closing = true;
      buffer.flush();
      return closeConnection(connection, connected);
    },
  };
}

async function firstConnection(options: BusOptions, inboxPrefix: string): Promise<NatsConnection> {
  const { url, user, password, name, tls, log } = options;
  let last: unknown;
  for (let attempt = 1; attempt <= FIRST_CONNECT_TRIES; attempt++) {
    if (attempt > 1) await sleep(FIRST_CONNECT_WAIT_MS);
    try {
      return await connect({
        servers: url.split(','),
        user,
        pass: password,
        name,
        inboxPrefix,
        timeout: DIAL_LIMIT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_WAIT_MS,
        reconnectJitter: RECONNECT_WAIT_MS,
        pingInterval: PING_INTERVAL_MS,
        // Credentials may be wrong during a roll-out; a worker that gave up would need a manual
        // restart.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
        ...(tls === undefined ? {} : { tls: { ...tls } }),
      });
    } catch (error) {
      last = error;
      if (error instanceof AuthorizationError || isUntrusted(error)) break;
      // Log the first attempt at a visible level, to explain a service that does not start.
      log[attempt === 1 ? 'info' : 'debug']({ attempt, error }, 'NATS does not answer yet');
    }
  }
  throw new Error(`can't connect to NATS at ${withoutCredentials(url)}: ${messageOf(last)}`, { cause: last });
}

/** Codes of OpenSSL and Node for an untrusted certificate or a server without TLS. */
const UNTRUSTED = /^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Whether the server failed to prove its identity, which no retry changes. */
function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return UNTRUSTED.test(code) || error.message.includes("does not support 'tls'") || isUntrusted(error.cause);
}

function withoutCredentials(url: string): string {
  // Backtracks: the configuration bounds the URLs, and each slash ends a match.
  return url.replaceAll(/\/\/[^/@,]*@/g, '//');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function watchStatus(connection: NatsConnection, log: BusLog, change: (connected: boolean) => void) {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' || status.type === 'close') change(false);
    if (status.type === 'reconnect') change(true);
    report(status, log);
  }
}

function report(status: Status, log: BusLog): void {
  if (status.type === 'disconnect') log.warn({}, 'lost the connection to NATS');
  else if (status.type === 'reconnect') log.info({}, 'connected to NATS again');
  else if (status.type === 'error') log.error({ error: status.error }, 'NATS reports an error');
  else if (status.type === 'staleConnection') log.warn({}, 'NATS does not answer pings');
}

async function closeConnection(connection: NatsConnection, connected: boolean): Promise<void> {
  if (connection.isClosed()) return;
  // A drain waits for the server, so it needs a connection.
  if (connected) {
    const limit = new AbortController();
    const bound = sleep(DRAIN_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([connection.drain().catch(() => undefined), bound]);
    limit.abort();
  }
  await connection.close();
}
