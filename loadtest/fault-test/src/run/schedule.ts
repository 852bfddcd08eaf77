// The sequence of faults of a run, which follows from its seed.
import type { Random } from '@taskgraph/testkit/random';

export const WORKERS = ['worker-1', 'worker-2', 'worker-3'] as const;
export const GATEWAYS = ['gateway-1', 'gateway-2'] as const;
export const JOBS = ['jobs-1', 'jobs-2'] as const;
export const HOOKS = ['hooks-1', 'hooks-2'] as const;
export const BACKENDS = ['neo4j', 'nats', 'redis'] as const;
export type Gateway = (typeof GATEWAYS)[number];
export type Backend = (typeof BACKENDS)[number];
/** One server of a backend cluster. */
export type Member = `${Backend}-${number}`;
export type Service = (typeof WORKERS)[number] | Gateway | (typeof JOBS)[number] | (typeof HOOKS)[number];

/**
 * `kill` is SIGKILL. `restart` is SIGTERM, as in a rollout. `pause` is SIGSTOP, and SIGCONT after
 * the time.
 *
 * The next faults hit a service's connection to a backend, or the clients' connection to a gateway:
 * `cut`, `slow` (latency), `narrow` (bandwidth), `silent` (open but without traffic) and `reset`.
 *
 * `full`: a backend's disk has no free space. `jump`: a service's clock differs from the right time
 * until the next jump. `power`: a power cut ends everything and discards data that was not forced
 * to the disks.
 *
 * A cluster server is hit alone, or with all others as one backend.
 */
export type Fault =
  | { readonly kind: 'kill' | 'restart'; readonly target: Service; readonly forMs: 0 }
  | { readonly kind: 'pause'; readonly target: Service | Backend | Member; readonly forMs: number }
  | { readonly kind: 'kill'; readonly target: Backend | Member | 'everything'; readonly forMs: 0 }
  | { readonly kind: 'full'; readonly target: Backend; readonly forMs: number }
  | { readonly kind: 'power'; readonly target: 'everything'; readonly forMs: 0 }
  | { readonly kind: 'jump'; readonly target: Service; readonly forMs: 0; readonly aheadMs: number }
  | { readonly kind: ConnectionFault; readonly target: Gateway | Backend | Member; readonly forMs: number };
export type ConnectionFault = 'cut' | 'slow' | 'narrow' | 'silent' | 'reset';

const LINE_FAULTS: readonly ConnectionFault[] = ['cut', 'slow', 'narrow', 'silent', 'reset'];
const SHORTEST_MS = 300;
const LONGEST_MS = 8_000;
/** A launcher gives up a backend that dies three times within a minute. */
const BETWEEN_KILLS = 8;

/** The share of faults that hit single servers, in a stack with clusters. */
const SHARE_OF_MEMBERS = 0.4;

/** The servers of clusters, and the subset that services reach through proxies of their own. */
export interface Members {
  readonly all: readonly Member[];
  readonly linked: readonly Member[];
}

/** An endless sequence of faults. Each ends before the next begins. */
export function* drawFaults(
  random: Random,
  members: Members = { all: [], linked: [] },
): Generator<Fault, never, undefined> {
  const lastKilled = new Map<string, number>();
  for (let index = 0; ; index++) {
    const isOfMember = members.all.length > 0 && random.chance(SHARE_OF_MEMBERS);
    const fault = isOfMember ? drawOfMember(random, members) : draw(random);
    if (fault.kind !== 'kill') yield fault;
    else if (
      hits(fault.target, members.all).some((each) => index - (lastKilled.get(each) ?? -BETWEEN_KILLS) < BETWEEN_KILLS)
    )
      yield { kind: 'restart', target: random.of([...WORKERS, ...GATEWAYS]), forMs: 0 };
    else {
      for (const each of hits(fault.target, members.all)) lastKilled.set(each, index);
      yield fault;
    }
  }
}

/** Each backend unavailable, hanging and slow for this time, in sequence. */
export function backendFaults(forMs: number): Fault[] {
  const kinds = ['cut', 'pause', 'slow'] as const;
  return kinds.flatMap((kind) => BACKENDS.map((target): Fault => ({ kind, target, forMs })));
}

/** The backends that a kill hits, and their members. */
function hits(target: string, members: readonly Member[]): readonly string[] {
  const all = [...BACKENDS, ...members];
  if (target === 'everything') return all;
  return all.filter((each) => each === target || backendOf(each) === target);
}

/** The backend that a fault hits, as a whole or in one server. */
export function backendOf(target: string): Backend | undefined {
  return BACKENDS.find((each) => each === target || target.startsWith(`${each}-`));
}

function drawOfMember(random: Random, { all, linked }: Members): Fault {
  const forMs = random.between(SHORTEST_MS, LONGEST_MS);
  const at = random.next();
  const target = random.of(all);
  if (at < 0.35) return { kind: 'kill', target, forMs: 0 };
  if (at < 0.7 || linked.length === 0) return { kind: 'pause', target, forMs };
  return { kind: random.of(LINE_FAULTS), target: random.of(linked), forMs };
}

function draw(random: Random): Fault {
  const forMs = random.between(SHORTEST_MS, LONGEST_MS);
  const service = random.chance(0.5) ? random.of(WORKERS) : random.of([...GATEWAYS, ...GATEWAYS, ...JOBS, ...HOOKS]);
  const at = random.next();
  if (at < 0.22) return { kind: 'kill', target: service, forMs: 0 };
  if (at < 0.36) return { kind: 'restart', target: service, forMs: 0 };
  if (at < 0.54) return { kind: 'pause', target: service, forMs };
  if (at < 0.62) return { kind: 'pause', target: random.of(BACKENDS), forMs };
  if (at < 0.7)
    return { kind: 'kill', target: random.of(['redis', 'nats', 'neo4j', 'redis', 'nats'] as const), forMs: 0 };
  if (at < 0.72) return { kind: 'kill', target: 'everything', forMs: 0 };
  const target = random.of([...GATEWAYS, ...BACKENDS]);
  return { kind: random.of(LINE_FAULTS), target, forMs };
}
