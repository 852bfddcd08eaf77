// Toxiproxy, built once with Go into the cache folder: proxies between clients, gateways and
// backends that can cut and slow connections.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuardian } from '@taskgraph/launcher/processes/guardian';
import { freePorts, LOOPBACK } from '@taskgraph/launcher/processes/ports';
import { type GoProgram, goProgram } from './go-program.ts';

const PROGRAM: GoProgram = {
  name: 'toxiproxy',
  version: '2.12.0',
  module: 'github.com/Shopify/toxiproxy/v2/cmd/server',
  file: 'server',
};
const START_TRIES = 100;
const START_WAIT_MS = 50;

/** A fault of a proxy, in Toxiproxy's terms. */
export interface Toxic {
  readonly type: 'latency' | 'bandwidth' | 'timeout' | 'reset_peer';
  readonly stream: 'upstream' | 'downstream';
  readonly attributes: Readonly<Record<string, number>>;
}

export interface ConnectionProxy {
  readonly port: number;
  /** Closes all connections and accepts none until `mend`. */
  cut(): Promise<void>;
  disturb(toxics: readonly Toxic[]): Promise<void>;
  /** Removes all toxics. `anew` also closes the connections, for toxics that have dropped bytes. */
  mend(anew: boolean): Promise<void>;
}

export interface Toxiproxy {
  /** A proxy for a port of this machine. */
  openProxy(name: string, port: number): Promise<ConnectionProxy>;
  stop(): Promise<void>;
}

/**
 * Starts it. Throws an Error that names the package to install if it is missing and cannot be
 * built.
 */
export async function startToxiproxy(note: (line: string) => void): Promise<Toxiproxy> {
  const program = goProgram(PROGRAM, note);
  const [port = 0] = await freePorts(1);
  // Its own process group: Ctrl-C must not end it before the services that it connects.
  const child = spawn(program, ['-host', LOOPBACK, '-port', String(port)], { stdio: 'ignore', detached: true });
  // If this process is killed, the proxy ends too.
  const guardian = startGuardian();
  if (child.pid !== undefined) guardian.watch([child.pid]);
  child.once('exit', () => guardian.release());
  const ask = asker(`http://${LOOPBACK}:${port}`);
  try {
    await untilItAnswers(child, ask);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    openProxy: (name, upstream) => createProxy(ask, name, upstream),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

function asker(url: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`toxiproxy answers ${answer.status} to ${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}

async function untilItAnswers(child: ChildProcess, ask: Ask): Promise<void> {
  for (let attempt = 0; attempt < START_TRIES; attempt++) {
    if (child.exitCode !== null) throw new Error(`toxiproxy ended with ${child.exitCode}`);
    const answers = await ask('GET', '/proxies').then(
      () => true,
      () => false,
    );
    if (answers) return;
    await sleep(START_WAIT_MS);
  }
  throw new Error('toxiproxy was started, but does not answer');
}

async function createProxy(ask: Ask, name: string, upstream: number): Promise<ConnectionProxy> {
  const [port = 0] = await freePorts(1);
  const path = `/proxies/${name}`;
  const enable = (enabled: boolean) => ask('POST', path, { enabled });
  await ask('POST', '/proxies', { name, listen: `${LOOPBACK}:${port}`, upstream: `${LOOPBACK}:${upstream}` });
  let toxics: string[] = [];
  return {
    port,
    async cut() {
      await enable(false);
    },
    async disturb(added) {
      for (const [index, toxic] of added.entries()) {
        toxics.push(`${index}`);
        await ask('POST', `${path}/toxics`, { ...toxic, name: `${index}`, toxicity: 1 });
      }
    },
    async mend(anew) {
      if (anew) await enable(false);
      for (const each of toxics) await ask('DELETE', `${path}/toxics/${each}`);
      toxics = [];
      await enable(true);
    },
  };
}
