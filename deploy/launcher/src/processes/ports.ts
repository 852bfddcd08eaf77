// Picks free ports on loopback, and reports a required port that is in use.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import getPort from 'get-port';
import { hasCode, LauncherError } from '../errors.ts';

export const LOOPBACK = '127.0.0.1';
const RANGE_ATTEMPTS = 50;

/**
 * Picked ports are below the range of outgoing connections (from 32,768 on Linux). A server often
 * listens on a picked port only seconds later, and an outgoing connection might take it before.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_700;
const CANDIDATES = 20;

/**
 * That many different free ports, at random. No other caller in this process gets them soon after.
 */
export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => getPort({ host: LOOPBACK, port: candidates() })));
}

function candidates(): number[] {
  return Array.from({ length: CANDIDATES }, () => randomInt(FIRST_PORT, LAST_PORT + 1));
}

/** The first of `count` consecutive free ports, as a stack's gateways need them. */
export async function freePortRange(count: number): Promise<number> {
  for (let attempt = 0; attempt < RANGE_ATTEMPTS; attempt += 1) {
    const [first = 0] = await freePorts(1);
    const rest = Array.from({ length: count - 1 }, (_, index) => first + 1 + index);
    if (first + count - 1 <= 65_535 && (await Promise.all(rest.map(isFree))).every(Boolean)) return first;
  }
  throw new LauncherError(`no ${count} free ports in a row`, 'Set PORT to the first of a range of free ports.');
}

/**
 * Throws if another program listens on the port. `variable` is the setting that changes the port.
 */
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

/** True if a port that was picked earlier is still free. */
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
