// The stack of a run: 2 gateways, 3 workers, 2 jobs and 2 hooks services with their own database, and a
// controllable proxy before each gateway and each backend.
import { delimiter, dirname } from 'node:path';
import type { BackendName } from '@taskgraph/launcher/backends/sources';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { INTENDED_ENDS, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { type Clocks, createClocks } from './clocks.ts';
import { type Disks, mountDisks, type UnsupportedFault } from './disks.ts';
import { type GoProgram, goProgram } from './go-program.ts';
import type { MachineKind } from './machine-faults.ts';
import { mountPowerDisk, type PowerDisk } from './power-disk.ts';
import type { Backend, Gateway, Member, Members } from './schedule.ts';
import { BACKENDS, backendOf, GATEWAYS, HOOKS, JOBS, WORKERS } from './schedule.ts';
import { type ConnectionProxy, startToxiproxy } from './toxiproxy.ts';

/**
 * System packages may contain version 2.9, whose servers count a bucket's entries differently after
 * a kill.
 */
const NATS_SERVER: GoProgram = {
  name: 'nats-server',
  version: '2.11.4',
  module: 'github.com/nats-io/nats-server/v2',
  file: 'nats-server',
};

export type ProxyName = Gateway | Backend | Member;
/** A service that ended by itself. */
export interface ServiceDeath {
  readonly name: string;
  /** The exit code or signal. */
  readonly reason: string;
  /** The end of its log. */
  readonly log: string;
  /** By the clock of the run. */
  readonly atMs: number;
}

type ProxyControl = Omit<ConnectionProxy, 'port'>;

export interface FaultStack {
  readonly stack: TestStack;
  /** The proxy of a cluster combines those of its servers. */
  readonly proxies: ReadonlyMap<ProxyName, ProxyControl>;
  /** The servers of clusters. */
  readonly members: Members;
  /** The gateways' base URLs behind the proxies, as clients use them. */
  readonly urls: readonly [string, string];
  /** Null if this machine cannot fill disks. */
  readonly disks: Disks | null;
  /** Null if this machine cannot cut a disk's power. */
  readonly powerDisk: PowerDisk | null;
  /** Null if this machine cannot set clocks. */
  readonly clocks: Clocks | null;
  /** The services that ended otherwise than by the signals of the run. */
  readonly deaths: readonly ServiceDeath[];
  /** The requested kinds of faults that this machine does not support, and why. */
  readonly leftOut: ReadonlyMap<MachineKind, string>;
  clear(): Promise<void>;
}

/**
 * `environment` is for the services, `kinds` are the machine faults of the run. `clustered` uses
 * backend clusters.
 */
export async function startFaultStack(
  note: (line: string) => void,
  environment: Readonly<Record<string, string>> = {},
  kinds: readonly MachineKind[] = [],
  clustered = false,
): Promise<FaultStack> {
  if (clustered) process.env.PATH = `${dirname(goProgram(NATS_SERVER, note))}${delimiter}${process.env.PATH}`;
  const toxiproxy = await startToxiproxy(note);
  const proxies = new Map<ProxyName, ProxyControl>();
  const routed = new Map<BackendName, number>();
  const lineTo = async (name: ProxyName, port: number) => {
    const proxy = await toxiproxy.openProxy(name, port);
    proxies.set(name, proxy);
    return proxy.port;
  };
  const clocks = kinds.includes('jump') ? createClocks() : null;
  const leftOut = new Map<MachineKind, string>();
  const deaths: ServiceDeath[] = [];
  let disks: Disks | null = null;
  let powerDisk: PowerDisk | null = null;
  try {
    const port = await freePortRange(GATEWAYS.length);
    const stack = await startTestStack({
      workers: WORKERS.length,
      gateways: GATEWAYS.length,
      jobs: JOBS.length,
      hooks: HOOKS.length,
      port,
      // Shorter than the clients' time limits: the service must answer even without a backend.
      ownDatabase: true,
      // A backend is killed again as soon as the service has recovered.
      failureLimit: Number.POSITIVE_INFINITY,
      environment: {
        COMMAND_DEADLINE_MS: '8000',
        SWEEP_INTERVAL_MS: '10000',
        // The receiver of the webhooks.
        HOOKS_ALLOWED_HOSTS: '127.0.0.1',
        ...both(environment, clocks?.environment),
      },
      onFolder(dataDir) {
        const mounted = <D extends object>(
          kind: MachineKind,
          mount: (dataDir: string) => D | UnsupportedFault,
        ): D | null => {
          const made = kinds.includes(kind) ? mount(dataDir) : null;
          if (made === null || !('leftOut' in made)) return made;
          leftOut.set(kind, made.leftOut);
          return null;
        };
        disks = mounted('full', mountDisks);
        powerDisk = mounted('power', mountPowerDisk);
        return () => {
          disks?.clear();
          powerDisk?.clear();
        };
      },
      clustered,
      onDeath(name, reason, tail) {
        if (!INTENDED_ENDS.has(reason)) deaths.push({ name, reason, log: tail.join('\n'), atMs: performance.now() });
      },
      route(name: BackendName, upstream) {
        const count = (routed.get(name) ?? 0) + 1;
        routed.set(name, count);
        return lineTo(clustered && name !== 'neo4j' ? `${name}-${count}` : name, upstream);
      },
    });
    const all = BACKENDS.map((name) => stack.backends.members[name].map((member) => member.name as Member))
      .filter((names) => names.length > 1)
      .flat();
    const linked = all.filter((name) => proxies.has(name));
    for (const name of BACKENDS) {
      const own = linked.filter((member) => backendOf(member) === name).flatMap((member) => proxies.get(member) ?? []);
      if (own.length > 0) proxies.set(name, combineProxies(own));
    }
    const ports = await Promise.all(GATEWAYS.map((name, index) => lineTo(name, port + index)));
    const [first = '', second = ''] = ports.map((each) => `http://127.0.0.1:${each}`);
    const clear = async () => {
      await stack.stop();
      await toxiproxy.stop();
      clocks?.clear();
    };
    return {
      stack,
      proxies,
      members: { all, linked },
      urls: [first, second],
      disks,
      powerDisk,
      clocks,
      deaths,
      leftOut,
      clear,
    };
  } catch (error) {
    await toxiproxy.stop();
    clocks?.clear();
    throw error;
  }
}

function combineProxies(proxies: readonly ProxyControl[]): ProxyControl {
  const each = async (act: (proxy: ProxyControl) => Promise<void>) => void (await Promise.all(proxies.map(act)));
  return {
    cut: () => each((proxy) => proxy.cut()),
    disturb: (toxics) => each((proxy) => proxy.disturb(toxics)),
    mend: (anew) => each((proxy) => proxy.mend(anew)),
  };
}

/** Merges two environments; both may load a module before a service. */
function both(environment: Readonly<Record<string, string>>, other: Readonly<Record<string, string>> = {}) {
  const options = [environment.NODE_OPTIONS, other.NODE_OPTIONS].filter((each) => each !== undefined);
  return { ...environment, ...other, ...(options.length > 0 ? { NODE_OPTIONS: options.join(' ') } : {}) };
}
