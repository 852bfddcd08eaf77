// The only file that imports uWebSockets.js: it creates the app, listens, and adapts the app for
// Socket.IO's engine.

import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { createRequire } from 'node:module';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { traceIdOf } from '../trace.ts';
import { answerOf, retryHeaders } from './answer.ts';
import { upgradeView } from './upgrade-view.ts';

export type Request = HttpRequest;
export type Response = HttpResponse;
export type App = TemplatedApp;

// The native code reads this when it loads. Browsers and proxies send more than its 4 KB.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384';
const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof import('uWebSockets.js');

export function createApp(): App {
  return uws.App();
}

/** Returns the actual port (`port` may be 0) and a function that stops listening. */
export function listen(app: App, host: string, port: number): Promise<{ port: number; close(): void }> {
  return new Promise((resolve, reject) => {
    const done = (socket: us_listen_socket | false) => {
      if (socket === false) {
        reject(new Error(`can't listen on ${host}:${port}: the port is in use, or the address is not of this machine`));
        return;
      }
      resolve({ port: uws.us_socket_local_port(socket), close: () => uws.us_listen_socket_close(socket) });
    };
    // Without this option two gateways would silently share a port. The types lack the overload.
    const exclusively = app.listen as unknown as (
      host: string,
      port: number,
      option: number,
      callback: typeof done,
    ) => void;
    exclusively.call(app, host, port, LISTEN_EXCLUSIVE_PORT, done);
  });
}

const LISTEN_EXCLUSIVE_PORT = 1;

/** A native WebSocket whose methods do nothing after its end, where the native ones would throw. */
export interface RawSocket {
  /** Returns false if a part is buffered until the client reads. */
  send(data: string | ArrayBuffer | Uint8Array, isBinary: boolean, compress?: boolean): boolean;
  /** Sends the messages of `act` in one write. */
  cork(act: () => void): void;
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  unsubscribeAll(): void;
  bufferedBytes(): number;
  /** Sends a close frame; the socket counts as closed from then on. */
  end(code: number, reason: string): void;
  /** Closes the connection at once and frees its buffer. */
  close(): void;
}

/** The part of Socket.IO's engine that learns of a connection's end. */
export interface Transport {
  socket: unknown;
  onClose(): void;
}

/** The layer between a raw socket and Socket.IO's engine. */
interface Guard {
  open(opened: RawSocket, engine: Transport): void;
  /** Returns whether the engine may process the frame. */
  receive(message: ArrayBuffer, isBinary: boolean): boolean;
  drained(): void;
  closed(): void;
}

interface OpenConnection {
  readonly transport: Transport;
  readonly connection: Guard;
}

interface AppOptions {
  readonly connections: {
    /** Returns a guard for a connection from this address, or a refusal past the bounds. */
    takeUpgrade(address: string): Promise<Guard | Refusal>;
    published(bytes: number): void;
  };
  /** Derives the client's address from the remote address and X-Forwarded-For. */
  readonly addressOf: (remote: string, forwarded: string) => string;
  /** Bytes that may be buffered for one slow socket. */
  readonly backpressureBytes: number;
}

/**
 * The app that Socket.IO's engine gets. Its upgrade requests have no token in their subprotocols,
 * because the engine echoes that header (AUTH3). Each raw socket has a guard, which receives all
 * frames first and can end the connection.
 */
export function appForSocketIo(app: App, { connections, addressOf, backpressureBytes }: AppOptions): App {
  const facade = {
    // Without the polling transport, REST answers a plain request at that path.
    any: () => facade,
    ws<T>(pattern: string, behavior: WebSocketBehavior<T>) {
      app.ws<OpenConnection>(pattern, {
        ...(behavior as object),
        // The gateway tells a connection past the bound why it closes. This closes one that exceeds
        // it between two checks.
        maxBackpressure: 2 * backpressureBytes,
        // The type is number, but the native code reads a boolean.
        closeOnBackpressureLimit: true as unknown as number,
        upgrade: (response, request, context) => {
          const view = upgradeView(request);
          const query = new URLSearchParams(view.getQuery());
          // The websocket transport is the only one, so no session exists that could upgrade.
          if (query.has('sid') || query.get('EIO') !== '4' || query.get('transport') !== 'websocket') {
            response.writeStatus('400 Bad Request').end('', true);
            return;
          }
          const address = response.getRemoteAddressAsText();
          // The engine reads the address again, and each call would ask the operating system.
          response.getRemoteAddressAsText = () => address;
          const remote = Buffer.from(address).toString();
          let isOpen = true;
          response.onAborted(() => {
            isOpen = false;
          });
          void connections.takeUpgrade(addressOf(remote, view.getHeader('x-forwarded-for'))).then((outcome) => {
            if (!isOpen) {
              if (!isRefusal(outcome)) outcome.closed();
              return;
            }
            response.cork(() => {
              if (isRefusal(outcome)) return refuseUpgrade(response, outcome);
              upgradeInOneWrite(response, outcome);
              behavior.upgrade?.(response, view as Request, context);
            });
          });
        },
        open: (ws) => {
          const { connection, transport } = ws.getUserData();
          void behavior.open?.(ws as never);
          connection.open(new OpenSocket(ws), transport);
        },
        message: (ws, message, isBinary) => {
          if (!ws.getUserData().connection.receive(message, isBinary)) return;
          void behavior.message?.(ws as never, message, isBinary);
        },
        drain: (ws) => ws.getUserData().connection.drained(),
        close: (ws, code, message) => {
          ws.getUserData().connection.closed();
          behavior.close?.(ws as never, code, message);
        },
      });
      return facade;
    },
    publish(topic: string, message: string | ArrayBuffer | Uint8Array, isBinary?: boolean) {
      connections.published(message instanceof ArrayBuffer ? message.byteLength : message.length);
      return app.publish(topic, message, isBinary);
    },
  };
  return facade as unknown as App;
}

/**
 * Attaches the guard to the upgraded socket, where `open` finds it, and corks the upgrade. The
 * engine upgrades some turns later, outside of a cork, where each part of the response head would
 * be a packet of its own. The native code writes the status line itself.
 */
function upgradeInOneWrite(response: Response, connection: Guard): void {
  const upgrade = response.upgrade.bind(response);
  const writeStatus = response.writeStatus.bind(response);
  response.writeStatus = (status) => (status === SWITCHING ? response : writeStatus(status));
  response.upgrade = (opened, ...rest) => {
    response.cork(() => upgrade({ ...opened, connection }, ...rest));
  };
}

/** A class, so that a gateway's many sockets share its methods. */
class OpenSocket implements RawSocket {
  readonly #ws: WebSocket<OpenConnection>;
  #isOpen = true;

  constructor(ws: WebSocket<OpenConnection>) {
    this.#ws = ws;
  }

  send(data: string | ArrayBuffer | Uint8Array, isBinary: boolean, compress?: boolean): boolean {
    if (!this.#isOpen) return true;
    let outcome: number = SENT;
    // Joins messages published before, in one write.
    this.#ws.cork(() => {
      outcome = this.#ws.send(data, isBinary, compress === true);
    });
    return outcome === SENT;
  }

  cork(act: () => void): void {
    if (this.#isOpen) this.#ws.cork(act);
  }

  subscribe(topic: string): void {
    if (this.#isOpen) this.#ws.subscribe(topic);
  }

  unsubscribe(topic: string): void {
    if (this.#isOpen) this.#ws.unsubscribe(topic);
  }

  unsubscribeAll(): void {
    if (this.#isOpen) for (const topic of this.#ws.getTopics()) this.#ws.unsubscribe(topic);
  }

  bufferedBytes(): number {
    return this.#isOpen ? this.#ws.getBufferedAmount() : 0;
  }

  end(code: number, reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ws.end(code, reason);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ws.close();
  }
}

const SENT = 1;
const SWITCHING = '101 Switching Protocols';

function refuseUpgrade(response: Response, refusal: Refusal): void {
  const { status, body } = answerOf(refusal, traceIdOf(undefined));
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
  for (const [name, value] of Object.entries(retryHeaders(refusal))) response.writeHeader(name, value);
  response.writeHeader('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify(body), true);
}
