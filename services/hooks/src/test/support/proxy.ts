// An HTTP proxy for tests that opens tunnels (CONNECT).
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Certificates } from '@taskgraph/testkit/stack/certificates';

export interface Proxy {
  readonly port: number;
  /** The targets of the tunnels that it opened. */
  readonly targets: readonly string[];
  close(): Promise<void>;
}

function refuse(_: unknown, response: ServerResponse): void {
  response.writeHead(405).end();
}

function filesOf({ certificate, key }: Certificates['server']) {
  return { cert: readFileSync(certificate), key: readFileSync(key) };
}

interface ProxyOptions {
  /** `user:password`, which it requires. */
  readonly login?: string;
  /** Whether it opens no tunnel. */
  readonly refuses?: boolean;
  /** Its own connections use TLS. */
  readonly certificates?: Certificates;
}

/** Starts a proxy on loopback. */
export async function startProxy({ login, refuses = false, certificates }: ProxyOptions): Promise<Proxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const own = certificates?.server;
  const server = own === undefined ? createServer(refuse) : createSecureServer(filesOf(own), refuse);
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  server.on('connect', (request, client: Socket) => {
    client.on('error', () => client.destroy());
    if (request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    if (refuses) {
      client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    targets.push(`${hostname}:${port}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    for (const socket of [client, upstream]) sockets.add(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
