// The connection to NATS: made once at start, then kept for ever.
import { setTimeout as sleep } from 'node:timers/promises';
import { AuthorizationError, connect, type NatsConnection, type Status } from '@nats-io/transport-node';
import { createOutbox, type Outbox } from './outbox.ts';
import { INBOXES } from './subjects.ts';

const FIRST_CONNECT_TRIES = 40;
const FIRST_CONNECT_WAIT_MS = 500;
const DIAL_LIMIT_MS = 5_000;
const RECONNECT_WAIT_MS = 250;
const DRAIN_LIMIT_MS = 5_000;
// A half-open connection is noticed after two lost pings; the default of two minutes would outlive every deadline.
const PING_INTERVAL_MS = 5_000;
/** The longest message that is ever sent, headers and all (parts.ts): a server that takes less would lose answers of what was done. */
const LEAST_PAYLOAD_BYTES = 512 * 1024;

/** The part of a structured log that the bus writes to. */
export interface BusLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An open bus. `connection`, `log` and `inbox` are for this library's own files. */
export interface Bus extends Pick<Outbox, 'publish'> {
  readonly connection: NatsConnection;
  readonly log: BusLog;
  /** The beginning of the subjects to which others answer this one. */
  readonly inbox: string;
  /** False during an outage, from which the bus recovers by itself, and from `close` on: nothing new is to be published then. */
  connected(): boolean;
  /** Whether NATS answers: false without a connection; it waits for as long as NATS says nothing. */
  ping(): Promise<boolean>;
  /** Resolves when the server has all that was published. */
  flush(): Promise<void>;
  /** Calls the listener at every loss (false) and return (true) of the connection; gives a function that ends this. */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Takes nothing more, sends what is under way, and closes: in 5 s at most. */
  close(): Promise<void>;
}

/** The kinds of services that NATS has users for (deploy/nats/users.conf). */
export type BusService = 'gateway' | 'worker' | 'jobs' | 'admin';

interface BusOptions {
  /** `nats://host:port`, or several with commas between. Whether the line is encrypted, `tls` says. */
  url: string;
  user: string;
  password: string;
  /** The connection's name in the server's monitoring. */
  name: string;
  /** Which kind of service speaks: its answers come to subjects that its kind alone may hear. Without it they come to those of all. */
  service?: BusService;
  /** Encrypts the connection, and demands that the server does; what is missing in it is the platform's affair. Without it nothing is demanded. */
  tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly servername?: string };
  log: BusLog;
}

/**
 * Connects to NATS. Waits for the first connection, 40 tries half a second apart, because backends may start after us; then throws an
 * Error that names the address. Wrong credentials and a certificate that is not trusted are thrown at once. Later losses are repaired without end.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const { log, service } = options;
  const inbox = service === undefined ? INBOXES : `${INBOXES}.${service}`;
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
  const outbox = createOutbox(connection, { isConnected: () => connected, log });
  return {
    connection,
    log,
    inbox,
    publish: outbox.publish,
    flush() {
      outbox.flush();
      return connection.flush();
    },
    connected: () => connected && !closing,
    async ping() {
      if (!connected || closing) return false;
      // A server that hangs is asked once, however often somebody wants to know.
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
      outbox.flush();
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
        // Credentials may be wrong for a while during a roll-out; a worker that gave up for good would need a restart by hand.
        ignoreAuthErrorAbort: true,
        noAsyncTraces: true,
        ...(tls === undefined ? {} : { tls: { ...tls } }),
      });
    } catch (error) {
      last = error;
      if (error instanceof AuthorizationError || isUntrusted(error)) break;
      // Once for people who look why a service does not start.
      log[attempt === 1 ? 'info' : 'debug']({ attempt, error }, 'NATS does not answer yet');
    }
  }
  throw new Error(`can't connect to NATS at ${withoutCredentials(url)}: ${messageOf(last)}`, { cause: last });
}

/** The codes of OpenSSL and Node for a certificate that proves nothing; and a server that does not encrypt at all. */
const UNTRUSTED = /^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Whether who answers did not prove to be the server that was asked for: waiting would not help. */
function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return UNTRUSTED.test(code) || error.message.includes("does not support 'tls'") || isUntrusted(error.cause);
}

function withoutCredentials(url: string): string {
  // Backtracks: the addresses come from the configuration, and their slashes end each try.
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
  // Draining needs the server's answers; without a connection it would wait for one.
  if (connected) {
    const limit = new AbortController();
    const bound = sleep(DRAIN_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([connection.drain().catch(() => undefined), bound]);
    limit.abort();
  }
  await connection.close();
}
