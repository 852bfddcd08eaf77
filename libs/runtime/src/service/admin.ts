// A service's admin port: liveness, readiness and metrics, for probes and scrapers only.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { BackendState, Health } from './health.ts';

/** More connections than probes need; further ones are closed. */
const MAXIMUM_CONNECTIONS = 100;
const REQUEST_LIMIT_MS = 5_000;

/** A started service. */
export interface StartedState {
  readonly health: Health;
  readonly metrics: Metrics;
  /**
   * Backends that the service can work without. Their outage is reported and does not make the
   * service unready.
   */
  readonly optional?: readonly string[];
}

export interface Admin {
  /** The port in use. */
  readonly port: number;
  /** Marks the service as started; its readiness now depends on its backends. */
  ready(watched: StartedState): void;
  /** Marks the service as stopping and so as unready. */
  stopping(): void;
  close(): Promise<void>;
}

interface AdminOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly log: Pick<Log, 'info' | 'error'>;
}

type State = { readonly kind: 'starting' } | { readonly kind: 'ready' | 'stopping'; readonly watched: StartedState };

interface AdminResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Listens. Rejects if the port is in use.
 *
 * `/livez` is 200 while the process responds: an outage of a backend is no reason to restart a
 * service. `/readyz` is 200 if the service has started, is not stopping, and its required backends
 * are up; otherwise 503. Its body names the state of the service and of each backend. `/metrics` is
 * 503 until the service has started.
 */
export async function openAdmin({ host, port, log }: AdminOptions): Promise<Admin> {
  let state: State = { kind: 'starting' };
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    answerOf(request, state)
      .catch((error: unknown) => {
        log.error({ error }, 'a request at the admin port failed');
        return asText(500, 'failed');
      })
      .then((answer) => send(request, response, answer));
  });
  server.maxConnections = MAXIMUM_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const taken = (server.address() as AddressInfo).port;
  log.info({ host, port: taken }, 'the admin port listens');
  return {
    port: taken,
    ready(watched) {
      state = { kind: 'ready', watched };
    },
    stopping() {
      if (state.kind === 'ready') state = { kind: 'stopping', watched: state.watched };
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function answerOf({ method, url = '' }: IncomingMessage, state: State): Promise<AdminResponse> {
  if (method !== 'GET' && method !== 'HEAD') return asText(405, 'only GET and HEAD');
  const [path] = url.split('?');
  if (path === '/livez') return asText(200, 'alive');
  if (path === '/readyz') return readiness(state);
  if (path !== '/metrics') return asText(404, 'there are /livez, /readyz and /metrics');
  if (state.kind === 'starting') return asText(503, 'starting');
  const { metrics } = state.watched;
  return { status: 200, type: metrics.contentType, text: await metrics.text() };
}

async function readiness(state: State): Promise<AdminResponse> {
  const { health, optional = [] } = state.kind === 'starting' ? {} : state.watched;
  const backends: Record<string, BackendState> = (await health?.()) ?? {};
  const canWork = Object.entries(backends).every(([name, each]) => each === 'up' || optional.includes(name));
  const isReady = state.kind === 'ready' && canWork;
  const text = JSON.stringify({ state: state.kind, backends });
  return { status: isReady ? 200 : 503, type: 'application/json', text };
}

function asText(status: number, text: string): AdminResponse {
  return { status, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, text }: AdminResponse): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : text);
}
