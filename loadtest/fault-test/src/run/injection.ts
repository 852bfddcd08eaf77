// Injects the faults of the schedule into a running stack, and ends them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member as BackendMember } from '@taskgraph/launcher/backends/backend-handle';
import type { FaultStack, ProxyName } from './fault-stack.ts';
import type { Backend, ConnectionFault, Fault, Member, Service } from './schedule.ts';
import { BACKENDS, backendOf, GATEWAYS, HOOKS, JOBS, WORKERS } from './schedule.ts';
import type { Toxic } from './toxiproxy.ts';

const RESTART_LIMIT_MS = 300_000;
const POLL_MS = 20;
const EVERYTHING: readonly Target[] = [...BACKENDS, ...WORKERS, ...GATEWAYS, ...JOBS, ...HOOKS];

const both = (type: Toxic['type'], attributes: Toxic['attributes']): Toxic[] => [
  { type, stream: 'upstream', attributes },
  { type, stream: 'downstream', attributes },
];
const TOXICS: Readonly<Record<Exclude<ConnectionFault, 'cut'>, readonly Toxic[]>> = {
  slow: both('latency', { latency: 300, jitter: 200 }),
  /** Kilobytes a second. */
  narrow: both('bandwidth', { rate: 30 }),
  silent: both('timeout', { timeout: 0 }),
  reset: [{ type: 'reset_peer', stream: 'upstream', attributes: { timeout: 100 } }],
};

type Target = Service | Backend | Member;
type Process = Pick<BackendMember, 'name' | 'pid' | 'restarts'>;

/** Ends a fault that has begun. */
export type EndFault = () => Promise<void>;

/** A fault that lasts until it is ended. */
export type LastingFault = Extract<Fault, { readonly kind: 'pause' | ConnectionFault }>;

export interface Injector {
  begin(fault: LastingFault): Promise<EndFault>;
  /** Resolves when the fault is over: paused processes continue, and killed ones have restarted. */
  inject(fault: Fault): Promise<void>;
  /** The number of intended restarts of each service. */
  readonly expected: ReadonlyMap<Service, number>;
}

type InjectedStack = Pick<FaultStack, 'proxies' | 'disks' | 'powerDisk' | 'clocks'> & {
  readonly stack: Pick<FaultStack['stack'], 'service' | 'backends'>;
};

export function createInjector({ stack, proxies, disks, powerDisk, clocks }: InjectedStack): Injector {
  const expected = new Map<Service, number>();
  const processesOf = (target: Target): readonly Process[] => {
    const backend = backendOf(target);
    if (backend === undefined) return [stack.service(target)];
    const members = stack.backends.members[backend];
    return target === backend ? members : members.filter(({ name }) => name === target);
  };
  const signal = (targets: readonly Target[], name: NodeJS.Signals) => {
    for (const each of targets.flatMap(processesOf)) {
      const pid = each.pid();
      // A process that is restarting has no id, and is unavailable already. The others lead process
      // groups, so that the signal reaches their child processes too.
      if (pid !== undefined) process.kill(-pid, name);
    }
  };

  /** `end` must end each of them. */
  async function startAgain(targets: readonly Target[], end: () => void): Promise<void> {
    const processes = targets.flatMap(processesOf);
    const before = new Map(processes.map((each) => [each, each.restarts()]));
    const missing = () => processes.filter((each) => each.restarts() <= (before.get(each) as number));
    end();
    for (const target of targets) if (isService(target)) expected.set(target, (expected.get(target) ?? 0) + 1);
    const deadline = Date.now() + RESTART_LIMIT_MS;
    for (let left = missing(); left.length > 0; left = missing()) {
      if (Date.now() > deadline) throw new Error(`not started again: ${left.map(({ name }) => name).join(', ')}`);
      await sleep(POLL_MS);
    }
  }

  async function begin({ kind, target }: LastingFault): Promise<EndFault> {
    if (kind === 'pause') {
      signal([target], 'SIGSTOP');
      return async () => signal([target], 'SIGCONT');
    }
    const proxy = proxies.get(target as ProxyName);
    if (proxy === undefined) throw new Error(`there is no proxy for ${target}`);
    if (kind === 'cut') await proxy.cut();
    else await proxy.disturb(TOXICS[kind]);
    return () => proxy.mend(kind === 'silent' || kind === 'reset');
  }

  return {
    expected,
    begin,
    async inject(fault) {
      const { kind, target, forMs } = fault;
      if (kind === 'power') return startAgain(EVERYTHING, () => powerDisk?.cut(() => signal(EVERYTHING, 'SIGKILL')));
      if (target === 'everything') return startAgain(EVERYTHING, () => signal(EVERYTHING, 'SIGKILL'));
      if (kind === 'kill') return startAgain([target], () => signal([target], 'SIGKILL'));
      if (kind === 'restart') return startAgain([target], () => signal([target], 'SIGTERM'));
      if (kind === 'full') {
        disks?.fill(target);
        await sleep(forMs);
        disks?.free(target);
        // After a full disk Neo4j has stopped its database and waits for its operator. On SIGTERM
        // it would wait another minute for its clients.
        return target === 'neo4j' ? startAgain([target], () => signal([target], 'SIGKILL')) : undefined;
      }
      if (kind === 'jump') return clocks?.set(target, fault.aheadMs);
      // All other kinds are handled above.
      const end = await begin(fault as LastingFault);
      await sleep(forMs);
      return end();
    },
  };
}

function isService(target: Target): target is Service {
  return backendOf(target) === undefined;
}
