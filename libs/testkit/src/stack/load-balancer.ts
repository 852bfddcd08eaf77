// A simple load balancer for tests, like those in front of real gateways. It checks the readiness
// of each gateway several times a second and gives new connections in turn to the ready ones.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { joinSockets } from './joined-sockets.ts';

const PROBE_MS = 50;

export interface LoadBalancer {
  readonly url: string;
  /** The number of connections that it closed because no gateway was ready. */
  refusals(): number;
  close(): Promise<void>;
}

/** The URLs of its gateways, which a caller may change meanwhile. */
export async function startLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  const ready = new Set<string>();
  const open = new Set<Socket>();
  let turn = 0;
  let refusals = 0;
  const probe = async (url: string) => {
    const isReady = await fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(url);
    else ready.delete(url);
  };
  await Promise.all(urls.map(probe));
  const probing = setInterval(() => {
    for (const url of urls) void probe(url);
  }, PROBE_MS);
  const server = createServer((inbound) => {
    const usable = urls.filter((each) => ready.has(each));
    const url = usable[turn++ % Math.max(1, usable.length)];
    if (url === undefined) {
      refusals += 1;
      inbound.destroy();
      return;
    }
    const outbound = connect(Number(new URL(url).port), new URL(url).hostname);
    joinSockets(inbound, outbound, open);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals: () => refusals,
    close() {
      clearInterval(probing);
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
