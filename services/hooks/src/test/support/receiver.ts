// A receiver of webhooks for tests: an HTTP server on loopback that records its requests.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Certificates } from '@taskgraph/testkit/stack/certificates';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections so far, with or without a request. */
  connections(): number;
  close(): Promise<void>;
}

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a receiver, with TLS if certificates are given. */
export async function startReceiver(handler: Handler, certificates?: Certificates): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: path, headers } = request;
    const body = await text(request);
    requests.push({ method, path, headers, body });
    handler(response, request);
  };
  const server =
    certificates === undefined
      ? createHttpServer(listener)
      : createHttpsServer(
          { cert: readFileSync(certificates.server.certificate), key: readFileSync(certificates.server.key) },
          listener,
        );
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
