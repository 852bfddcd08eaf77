// The one file that knows uWebSockets.js: it makes the app, listens, and corrects what Socket.IO's engine does with it.

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, WebSocketBehavior } from 'uWebSockets.js';
import { createRequire } from 'node:module';
import { upgradeView } from './upgrade-view.ts';

export type Request = HttpRequest;
export type Response = HttpResponse;
export type App = TemplatedApp;

// The native code reads this when it is loaded, and its own default of 4 KB is less than browsers and proxies send.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384';
const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof import('uWebSockets.js');

export function createApp(): App {
  return uws.App();
}

/** Listens; gives the port taken (of use where `port` is 0) and a function that ends listening. Throws where the port is in use. */
export function listen(app: App, host: string, port: number): Promise<{ port: number; close(): void }> {
  return new Promise((resolve, reject) => {
    const done = (socket: us_listen_socket | false) => {
      if (socket === false) {
        reject(new Error(`can't listen on ${host}:${port}: the port is in use, or the address is not of this machine`));
        return;
      }
      resolve({ port: uws.us_socket_local_port(socket), close: () => uws.us_listen_socket_close(socket) });
    };
    // Without the exclusive option two gateways would share a port in silence. The types lack the form with a host and an option.
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

/** Bytes that may wait for one slow socket; a socket past it is closed, and its client reconnects and asks for the state. */
const MAXIMUM_BACKPRESSURE_BYTES = 16 * 1024 * 1024;

/**
 * The app as Socket.IO's engine shall see it. Upgrade requests are shown without the token in their subprotocols, because the engine echoes
 * that header as it is (AUTH3). A socket too slow for what it is sent is closed: uWebSockets would drop answers in silence.
 */
export function appForSocketIo(app: App): App {
  const facade = {
    // Without the polling transport a plain request at that path is an unknown one: REST answers it, within its limits.
    any: () => facade,
    ws<T>(pattern: string, behavior: WebSocketBehavior<T>) {
      app.ws<T>(pattern, {
        ...behavior,
        maxBackpressure: MAXIMUM_BACKPRESSURE_BYTES,
        // The types say number, the native code reads a boolean.
        closeOnBackpressureLimit: true as unknown as number,
        upgrade: (response, request, context) => {
          const view = upgradeView(request);
          // Only the websocket transport is offered, so nothing is ever upgraded: a session id can only be a stranger's.
          if (new URLSearchParams(view.getQuery()).has('sid')) {
            response.writeStatus('400 Bad Request').end();
            return;
          }
          behavior.upgrade?.(response, view as Request, context);
        },
      });
      return facade;
    },
    publish: app.publish.bind(app),
  };
  return facade as unknown as App;
}
