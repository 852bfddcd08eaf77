// A proxy before the database. It ends a connection at a chosen message, before or after the
// database receives it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * The end of the connection: before the database receives the message, or after it has answered, so
 * that the answer is lost.
 */
export type End = 'before' | 'after';

export interface Line {
  readonly port: number;
  /** Ends the connection that next sends this message, once. Resolves then. */
  endAt(isMessage: (sent: Buffer) => boolean, end: End): Promise<void>;
  close(): Promise<void>;
}

interface Trap {
  readonly isMessage: (sent: Buffer) => boolean;
  readonly end: End;
  readonly sprung: () => void;
}

/** Opens a proxy to a port of this machine. */
export async function openLine(port: number): Promise<Line> {
  let trap: Trap | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    let answered: (() => void) | null = null;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (sent) => {
      if (trap?.isMessage(sent) !== true) return void upstream.write(sent);
      const { end, sprung } = trap;
      trap = null;
      if (end === 'after') {
        answered = sprung;
        upstream.write(sent);
      } else {
        cut();
        sprung();
      }
    });
    upstream.on('data', (received) => {
      if (answered === null) return void client.write(received);
      cut();
      answered();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    endAt: (isMessage, end) =>
      new Promise((sprung) => {
        trap = { isMessage, end, sprung };
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
