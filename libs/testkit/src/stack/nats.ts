// A NATS server with JetStream for tests, on a free loopback port, with its own store that survives
// a restart.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { natsUsers } from '@taskgraph/launcher/backends/nats';
import type { NatsUser } from '@taskgraph/launcher/data/secrets';
import { freePorts } from '@taskgraph/launcher/processes/ports';

const START_TRIES = 200;
const START_WAIT_MS = 50;

/** A running server, and the settings to reach it. */
export interface TestNats extends TestServer {
  readonly user: string;
  readonly password: string;
}

/** A server with a user for each kind of service, as stacks have it. */
export interface ServicesNats extends TestServer {
  /** The settings with which a service connects as its kind. */
  login<Service extends NatsUser>(service: Service): { url: string; user: string; password: string; service: Service };
}

export interface TestServer {
  readonly url: string;
  /** Stops the server. Its port and its store stay reserved for `start`. */
  stop(): Promise<void>;
  /** Kills the server without a shutdown. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Suspends the server, with its connections open, until it is resumed. */
  hang(): void;
  goOn(): void;
  /** Stops the server and removes its store. */
  remove(): Promise<void>;
}

/**
 * Starts the `nats-server` on PATH, with one user. Throws if there is none, or if it does not
 * answer within 10 s.
 */
export async function startNats(): Promise<TestNats> {
  const [user, password] = ['test', 'test-password'];
  const server = await startServer(`authorization { user: ${user}, password: ${password} }`);
  return { ...server, user, password };
}

/** The same with the users of deploy/nats/users.conf. */
export async function startServicesNats(): Promise<ServicesNats> {
  const passwords = { gateway: '1st of four', worker: '2k', jobs: '3', hooks: '5e', admin: 'four' };
  const server = await startServer(natsUsers(passwords));
  return {
    ...server,
    login: (service) => ({ url: server.url, user: service, password: passwords[service], service }),
  };
}

/** Starts a server with these lines in its configuration. */
export async function startServer(configuration: string): Promise<TestServer> {
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-nats-'));
  const file = join(folder, 'nats.conf');
  const store = JSON.stringify(join(folder, 'store'));
  await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${store} }\n${configuration}\n`);
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    child = spawn('nats-server', ['--config', file], {
      stdio: 'ignore',
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    await once(child, 'spawn');
    for (let attempt = 0; attempt < START_TRIES; attempt++) {
      if (await answers(port)) return;
      await sleep(START_WAIT_MS);
    }
    throw new Error('nats-server started, but does not answer');
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    // A suspended server would never receive another signal.
    child.kill(signal);
    child.kill('SIGCONT');
    await exited;
  }
  const stop = () => end('SIGTERM');

  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    stop,
    kill: () => end('SIGKILL'),
    hang: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    async remove() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server greets each client with an INFO line once it is ready. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('data', (data) => end(data.toString().startsWith('INFO')));
    socket.once('error', () => end(false));
  });
}
