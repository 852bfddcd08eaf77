// The faults of a run, one after the other, as they follow from its seed.
import type { Random } from './random.ts';

export const WORKERS = ['worker-1', 'worker-2', 'worker-3'] as const;
export const GATEWAYS = ['gateway-1', 'gateway-2'] as const;
export const JOBS = ['jobs-1', 'jobs-2'] as const;
export const BACKENDS = ['neo4j', 'nats', 'redis'] as const;
export type Gateway = (typeof GATEWAYS)[number];
export type Backend = (typeof BACKENDS)[number];
export type Service = (typeof WORKERS)[number] | Gateway | (typeof JOBS)[number];

/**
 * `kill`: SIGKILL. `restart`: SIGTERM, as a roll-out does it. `pause`: SIGSTOP, and SIGCONT after the time. The others hit the line to a backend, or that of
 * the clients to a gateway: `cut`, `slow` (latency), `narrow` (bandwidth), `silent` (open, and nothing comes through), `reset`. `full`: a backend's disk has
 * no room. `jump`: a service's clock is so far ahead of the right time, or behind it, until it jumps again.
 */
export type Fault =
  | { readonly kind: 'kill' | 'restart'; readonly target: Service; readonly forMs: 0 }
  | { readonly kind: 'pause'; readonly target: Service | Backend; readonly forMs: number }
  | { readonly kind: 'kill'; readonly target: Backend | 'everything'; readonly forMs: 0 }
  | { readonly kind: 'full'; readonly target: Backend; readonly forMs: number }
  | { readonly kind: 'jump'; readonly target: Service; readonly forMs: 0; readonly aheadMs: number }
  | { readonly kind: LineFault; readonly target: Gateway | Backend; readonly forMs: number };
export type LineFault = 'cut' | 'slow' | 'narrow' | 'silent' | 'reset';

const LINE_FAULTS: readonly LineFault[] = ['cut', 'slow', 'narrow', 'silent', 'reset'];
const SHORTEST_MS = 300;
const LONGEST_MS = 8_000;
/** A launcher gives a backend up that dies three times in a minute. */
const BETWEEN_KILLS = 8;

/** Draws faults without end. Each is over before the next begins. */
export function* drawFaults(random: Random): Generator<Fault, never, undefined> {
  const lastKilled = new Map<string, number>();
  for (let index = 0; ; index++) {
    const fault = draw(random);
    if (fault.kind !== 'kill') yield fault;
    else if (hits(fault.target).some((each) => index - (lastKilled.get(each) ?? -BETWEEN_KILLS) < BETWEEN_KILLS))
      yield { kind: 'restart', target: random.of([...WORKERS, ...GATEWAYS]), forMs: 0 };
    else {
      for (const each of hits(fault.target)) lastKilled.set(each, index);
      yield fault;
    }
  }
}

/** Each backend away, hanging and slow for so long, one after the other. */
export function backendFaults(forMs: number): Fault[] {
  const kinds = ['cut', 'pause', 'slow'] as const;
  return kinds.flatMap((kind) => BACKENDS.map((target): Fault => ({ kind, target, forMs })));
}

/** Backends that a kill hits. */
function hits(target: string): readonly string[] {
  if (target === 'everything') return BACKENDS;
  return BACKENDS.filter((each) => each === target);
}

function draw(random: Random): Fault {
  const forMs = random.between(SHORTEST_MS, LONGEST_MS);
  const service = random.chance(0.5) ? random.of(WORKERS) : random.of([...GATEWAYS, ...GATEWAYS, ...JOBS]);
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
