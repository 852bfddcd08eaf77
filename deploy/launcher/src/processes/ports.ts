// Picks ports that are free on loopback, and says clearly when a wanted one is not.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import getPort from 'get-port';
import { hasCode, LauncherError } from '../errors.ts';

export const LOOPBACK = '127.0.0.1';
const RANGE_ATTEMPTS = 50;

/**
 * Ports are picked from below those that systems give to outgoing connections (from 32,768 on Linux): one that is picked now is often listened on
 * only seconds later, and would have been taken by a client of somebody's meanwhile.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;
const CANDIDATES = 20;

/** As many different free ports as asked for, at random; none of them is given to another caller in this process soon. */
export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => getPort({ host: LOOPBACK, port: candidates() })));
}

function candidates(): number[] {
  return Array.from({ length: CANDIDATES }, () => randomInt(FIRST_PORT, LAST_PORT + 1));
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

/** Whether a port that was picked before can be listened on again. */
export async function isUnused(port: number): Promise<boolean> {
  try {
    await close(await listen(port));
    return true;
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE') || hasCode(error, 'EACCES')) return false;
    throw error;
  }
}

async function isFree(port: number): Promise<boolean> {
  return (await getPort({ port, host: LOOPBACK })) === port;
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
