// The admin port of a service: whether it lives, whether it can work, and its metrics. It is for probes and scrapers, not for clients.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { BackendState, Health } from './health.ts';

/** More connections than any number of probes needs; past it new ones are closed. */
const MAXIMUM_CONNECTIONS = 100;
const REQUEST_LIMIT_MS = 5_000;

/** The state of a service that has started. */
export interface Watched {
  readonly health: Health;
  readonly metrics: Metrics;
  /** Backends without which it does less, but works: one that is away is told, and does not make the service unready. */
  readonly optional?: readonly string[];
}

export interface Admin {
  /** The port taken. */
  readonly port: number;
  /** From now on the service can work, as far as its backends are up. */
  ready(watched: Watched): void;
  /** From now on it is not ready any more, whatever its backends are. */
  stopping(): void;
  close(): Promise<void>;
}

interface Options {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly log: Pick<Log, 'info' | 'error'>;
}

type State = { readonly is: 'starting' } | { readonly is: 'ready' | 'stopping'; readonly watched: Watched };

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Listens. Rejects where the port is taken.
 *
 * `/livez` is 200 for as long as the process answers at all: an outage of a backend is no reason to start a service again. `/readyz` is 200
 * while the service has started, does not stop, and the backends that it can't do without are up; else 503. Its body names the service's
 * state and that of each backend. `/metrics` is 503 until the service has started.
 */
export async function openAdmin({ host, port, log }: Options): Promise<Admin> {
  let state: State = { is: 'starting' };
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
      state = { is: 'ready', watched };
    },
    stopping() {
      if (state.is === 'ready') state = { is: 'stopping', watched: state.watched };
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function answerOf({ method, url = '' }: IncomingMessage, state: State): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return asText(405, 'only GET and HEAD');
  const [path] = url.split('?');
  if (path === '/livez') return asText(200, 'alive');
  if (path === '/readyz') return readiness(state);
  if (path !== '/metrics') return asText(404, 'there are /livez, /readyz and /metrics');
  if (state.is === 'starting') return asText(503, 'starting');
  const { metrics } = state.watched;
  return { status: 200, type: metrics.contentType, text: await metrics.text() };
}

async function readiness(state: State): Promise<Answer> {
  const { health, optional = [] } = state.is === 'starting' ? {} : state.watched;
  const backends: Record<string, BackendState> = (await health?.()) ?? {};
  const canWork = Object.entries(backends).every(([name, each]) => each === 'up' || optional.includes(name));
  const isReady = state.is === 'ready' && canWork;
  const text = JSON.stringify({ state: state.is, backends });
  return { status: isReady ? 200 : 503, type: 'application/json', text };
}

function asText(status: number, text: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, text }: Answer): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : text);
}
