// Processor time of an interval by role, summed over the role's processes.
import { readCpuMs } from './proc.ts';

/** Milliseconds by role, such as `neo4j` or `worker`. */
export type Cpu = Readonly<Record<string, number>>;

/**
 * The process ids of each role. A role whose processes are not visible here, as in a container, has
 * none.
 */
export type Roles = Readonly<Record<string, readonly number[]>>;

/** Starts a measurement; the returned function ends it. */
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

/** The sum of several intervals. */
export function addCpu(samples: readonly Cpu[]): Cpu {
  const sum: Record<string, number> = {};
  for (const sample of samples) for (const [role, ms] of Object.entries(sample)) sum[role] = (sum[role] ?? 0) + ms;
  return sum;
}

/** Milliseconds per operation. */
export function perOperation(cpu: Cpu, operations: number): Cpu {
  return Object.fromEntries(Object.entries(cpu).map(([role, ms]) => [role, ms / operations]));
}

/**
 * The sum of some roles; NaN if one of them was not measured, because a partial sum would be too
 * low.
 */
export function ofRoles(cpu: Cpu, roles: readonly string[]): number {
  return roles.reduce((sum, role) => sum + (cpu[role] ?? Number.NaN), 0);
}
