// Picks ports that are free on loopback, and says clearly when a wanted one is not.
import { createServer, type Server } from 'node:net';
import { hasCode, LauncherError } from '../errors.ts';

export const LOOPBACK = '127.0.0.1';
const RANGE_ATTEMPTS = 50;

/** As many different free ports as asked for: all are held open until the last one is known. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

/** The first of `count` free ports in a row, which is what a stack's gateways listen on. */
export async function freePortRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < RANGE_ATTEMPTS; attempt += 1) {
    const [first = 0] = await freePorts(1);
    const rest = Array.from({ length: count - 1 }, (_, index) => first + 1 + index);
    if (first + count - 1 <= 65_535 && (await Promise.all(rest.map(isFree))).every(Boolean)) return first;
  }
  throw new LauncherError(`no ${count} free ports in a row`, 'Set PORT to the first of a range of free ports.');
}

/** Refuses to go on with a port that something else listens on; `variable` is what the person may change. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) {
      throw new LauncherError(
        `port ${port} is taken by another program`,
        `Stop it, or choose another with ${variable}.`,
      );
    }
    if (hasCode(error, 'EACCES')) {
      throw new LauncherError(`port ${port} may not be used by this user`, `Choose one above 1023 with ${variable}.`);
    }
    throw error;
  }
}

async function isFree(port: number): Promise<boolean> {
  return listen(port).then(
    async (server) => {
      await close(server);
      return true;
    },
    () => false,
  );
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening server has no port');
  return address.port;
}
