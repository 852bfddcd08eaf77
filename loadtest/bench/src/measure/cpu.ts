// Processor time of a stretch, by role: the sum over the processes that have it.
import { readCpuMs } from './proc.ts';

/** Milliseconds by role, such as `neo4j` or `worker`. */
export type Cpu = Readonly<Record<string, number>>;

/** The ids of the processes of each role. A role that runs where this machine can't see it, as in a container, has none. */
export type Roles = Readonly<Record<string, readonly number[]>>;

/** Begins to measure; the function that it gives ends this. */
export function meterCpu(roles: Roles): () => Cpu {
  const before = readAll(roles);
  return () => {
    const after = readAll(roles);
    return Object.fromEntries(Object.entries(after).map(([role, ms]) => [role, ms - (before[role] as number)]));
  };
}

function readAll(roles: Roles): Record<string, number> {
  const seen = Object.entries(roles).filter(([, pids]) => pids.length > 0);
  return Object.fromEntries(seen.map(([role, pids]) => [role, pids.reduce((sum, pid) => sum + readCpuMs(pid), 0)]));
}

/** The sum of several stretches. */
export function addCpu(stretches: readonly Cpu[]): Cpu {
  const sum: Record<string, number> = {};
  for (const stretch of stretches) for (const [role, ms] of Object.entries(stretch)) sum[role] = (sum[role] ?? 0) + ms;
  return sum;
}

/** Milliseconds an operation. */
export function perOperation(cpu: Cpu, operations: number): Cpu {
  return Object.fromEntries(Object.entries(cpu).map(([role, ms]) => [role, ms / operations]));
}

/** The sum of some roles; NaN where one of them was not seen, since a sum without it would flatter. */
export function ofRoles(cpu: Cpu, roles: readonly string[]): number {
  return roles.reduce((sum, role) => sum + (cpu[role] ?? Number.NaN), 0);
}
