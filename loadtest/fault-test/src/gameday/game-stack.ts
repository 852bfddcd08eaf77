// The stack of a game day, with probes, metrics and a client that adds nodes throughout.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TaskgraphClient } from '@taskgraph/client';
import type { BackendName } from '@taskgraph/launcher/backends/sources';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { readNodes } from '@taskgraph/testkit/stack/writers';
import { createInjector, type Injector } from '../run/injection.ts';
import { type Backend, GATEWAYS, HOOKS, JOBS, type Service, WORKERS } from '../run/schedule.ts';
import { type ConnectionProxy, startToxiproxy } from '../run/toxiproxy.ts';

const PARTITIONS = 64;
const PROBE_TIMEOUT_MS = 2_000;
const PULSE_MS = 250;
const POLL_MS = 250;

/** Only REST calls are limited, so that the flood is, and the client is not. */
const ENVIRONMENT = {
  COMMAND_DEADLINE_MS: '8000',
  TASKGRAPH_LIMITS: 'on',
  LIMIT_SOCKET: '1000000/3600',
  LIMIT_CONNECT: '1000000/3600',
  LIMIT_UPGRADE: '1000000/3600',
  LIMIT_GRAPH_WALK: '1000000/3600',
};

/** The answer of a path of an admin port; null if there is none in time. */
export type ProbeAnswer = { readonly status: number; readonly text: string } | null;

export interface GameStack {
  readonly stack: TestStack;
  readonly injector: Injector;
  /** The number of acknowledged nodes so far. */
  acknowledged(): number;
  probe(service: Service, path: '/readyz' | '/metrics'): Promise<ProbeAnswer>;
  /** The sum of a metric over all its labels and these services; those without an answer count as 0. */
  sum(services: readonly Service[], metric: string): Promise<number>;
  /** What keeps the service from being healthy; empty if nothing does. */
  findDefects(): Promise<string[]>;
  /** Acknowledged nodes that do not exist. */
  findLosses(): Promise<string[]>;
  stop(): Promise<void>;
}

interface GameStackOptions {
  /** Backends that are reached through a proxy, which Go builds once. */
  readonly proxied: readonly Backend[];
  readonly note: (line: string) => void;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

/** Starts all of it, or nothing. */
export async function startGameStack({ proxied, note, signal }: GameStackOptions): Promise<GameStack> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const toxiproxy = proxied.length > 0 ? await startToxiproxy(note) : null;
    if (toxiproxy !== null) stops.push(toxiproxy.stop);
    const proxies = new Map<Backend, Omit<ConnectionProxy, 'port'>>();
    const stack = await startTestStack({
      signal,
      workers: WORKERS.length,
      gateways: GATEWAYS.length,
      jobs: JOBS.length,
      hooks: HOOKS.length,
      ownDatabase: true,
      environment: ENVIRONMENT,
      async route(name: BackendName, upstream) {
        if (toxiproxy === null || !proxied.includes(name)) return upstream;
        const proxy = await toxiproxy.openProxy(name, upstream);
        proxies.set(name, proxy);
        return proxy.port;
      },
    });
    stops.push(stack.stop);
    const pulse = await startPulse(stack);
    stops.push(pulse.stop);
    const injector = createInjector({ stack, proxies, disks: null, powerDisk: null, clocks: null });
    return {
      stack,
      injector,
      acknowledged: () => pulse.acknowledged().length,
      ...createProbes(stack),
      findLosses: () => pulse.findLosses(),
      stop: () => stopAll(stops),
    };
  } catch (error) {
    await stopAll(stops);
    throw error;
  }
}

/** Runs the last one first, and all of them even if one fails. Throws the first failure. */
async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop())
    await stop().catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
}

function createProbes(stack: TestStack): Pick<GameStack, 'probe' | 'sum' | 'findDefects'> {
  const probe = async (service: Service, path: string): Promise<ProbeAnswer> => {
    try {
      const url = `http://127.0.0.1:${stack.adminPort(service)}${path}`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  };
  const sum = async (services: readonly Service[], metric: string) => {
    const answers = await Promise.all(services.map((service) => probe(service, '/metrics')));
    const lines = answers.flatMap((answer) => answer?.text.split('\n') ?? []);
    const values = lines.filter((line) => /^\w+/.exec(line)?.[0] === metric).map((line) => line.replace(/ # .*/, ''));
    return values.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  };
  const findDefects = async () => {
    const services: readonly Service[] = [...GATEWAYS, ...WORKERS, ...JOBS, ...HOOKS];
    const unready = await Promise.all(
      services.map(async (service) => {
        const answer = await probe(service, '/readyz');
        const isReady = answer?.status === 200 && !answer.text.includes('"away"');
        return isReady ? [] : [`${service} answers ${answer?.text ?? 'nothing'}`];
      }),
    );
    const served = await sum(WORKERS, 'taskgraph_partitions');
    return [
      ...unready.flat(),
      ...(served === PARTITIONS ? [] : [`workers serve ${served} of ${PARTITIONS} partitions`]),
    ];
  };
  return { probe, sum, findDefects };
}

interface Pulse {
  acknowledged(): readonly string[];
  findLosses(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Adds a node again and again. Failures are expected, and only acknowledged nodes count. */
async function startPulse(stack: TestStack): Promise<Pulse> {
  const [url = ''] = stack.urls;
  const client: TaskgraphClient = await connect({ url, token: await stack.token('pulse@example.com') });
  const ids: string[] = [];
  const over = new AbortController();
  const working = (async () => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      await client.node.add({ title: `pulse ${turn}` }).then(
        ({ diff }) => void ids.push(String(diff.nodes[0]?.after.id)),
        () => undefined,
      );
      await sleep(PULSE_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    acknowledged: () => ids,
    async findLosses() {
      // Before the read, so that it shows all of them.
      const known = [...ids];
      const stored = new Set((await readNodes(client)).map(({ id }) => id));
      return known.filter((id) => !stored.has(id));
    },
    async stop() {
      over.abort();
      await working;
      client.close();
    },
  };
}

/**
 * Waits until the condition returns something other than null; null after the limit. A condition
 * that throws counts as not met. Throws the reason of the signal.
 */
export async function waitFor<T>(
  condition: () => Promise<T | null>,
  limitMs: number,
  signal: AbortSignal,
): Promise<T | null> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await condition().catch(() => null);
    signal.throwIfAborted();
    if (found !== null || Date.now() > deadline) return found;
    await sleep(POLL_MS);
  }
}
