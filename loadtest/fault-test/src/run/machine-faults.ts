// Machine faults: full disks, clock jumps and power cuts. They need a prepared stack, so they occur
// only if requested.
import type { Random } from '@taskgraph/testkit/random';
import { BACKENDS, type Fault, GATEWAYS, HOOKS, JOBS, WORKERS } from './schedule.ts';

export type MachineKind = 'full' | 'jump' | 'power';

const MACHINE_KINDS: readonly MachineKind[] = ['full', 'jump', 'power'];
const FULL_MS = { least: 4_000, most: 10_000 };
const MINUTE_MS = 60_000;
const JUMPS_MS = [2_000, MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 5 * 60 * MINUTE_MS];

/** The kind of machine fault that a name such as `full` or `full neo4j` requests. */
export function machineKindOf(name: string): MachineKind | undefined {
  return MACHINE_KINDS.find((kind) => name === kind || name.startsWith(`${kind} `));
}

/**
 * An endless sequence of machine faults with names such as `full neo4j` or `jump`; empty without
 * names.
 */
export function* drawMachineFaults(random: Random, names: readonly string[]): Generator<Fault, void, undefined> {
  const isAsked = ({ kind, target }: Fault) => names.some((name) => `${kind} ${target}`.startsWith(name));
  const kinds = MACHINE_KINDS.filter((kind) => names.some((name) => machineKindOf(name) === kind));
  for (let index = 0; kinds.length > 0; index++) {
    const fault = draw(random, kinds[index % kinds.length] as MachineKind);
    if (isAsked(fault)) yield fault;
  }
}

function draw(random: Random, kind: MachineKind): Fault {
  if (kind === 'full') return { kind, target: random.of(BACKENDS), forMs: random.between(FULL_MS.least, FULL_MS.most) };
  if (kind === 'power') return { kind, target: 'everything', forMs: 0 };
  // One in six jumps restores the right time.
  const aheadMs = random.of(JUMPS_MS) * random.of([1, 1, 1, -1, -1, 0] as const);
  return { kind, target: random.of([...WORKERS, ...GATEWAYS, ...JOBS, ...HOOKS]), forMs: 0, aheadMs };
}
