// A proxy in front of a server. A test can cut its connections.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { joinSockets } from './joined-sockets.ts';

export interface BreakableProxy {
  readonly url: string;
  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Lets no answer of the server through until `cut`. */
  mute(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of the server at this URL. */
export async function breakableProxy(target: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const answers = new Set<Socket>();
  let isCut = false;
  const server = createServer((inbound) => {
    if (isCut) return void inbound.destroy();
    const outbound = connect(Number(port), hostname);
    answers.add(outbound);
    outbound.on('close', () => answers.delete(outbound));
    joinSockets(inbound, outbound, open);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mute() {
      for (const answer of answers) answer.unpipe().pause();
    },
    mend() {
      isCut = false;
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
