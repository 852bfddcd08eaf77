// Gives a client its own source address through a relay on loopback, in the client's process.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface AddressProxy {
  /** The URL to which the client connects. */
  readonly url: string;
  close(): void;
}

export async function openAddressProxy(address: string, target: string): Promise<AddressProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect({ host: hostname, port: Number(port), localAddress: address, noDelay: true });
    inner.setNoDelay(true);
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
