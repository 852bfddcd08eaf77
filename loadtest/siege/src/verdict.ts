// The measures of a siege's verdict: waits of honest clients against their quiet ones, failures, pushes, memory and restarts.

/** The longest wait of an honest client, as a multiple of its quiet time. */
const MAXIMUM_RATIO = 5;
const TAIL = 0.99;

/** The value below which 99 in 100 lie; 0 of nothing. */
export function p99(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * TAIL))] ?? 0;
}

export interface Comparison {
  readonly kind: string;
  readonly quietMs: number;
  readonly besiegedMs: number;
  readonly worstMs: number;
  readonly ratio: number;
  readonly ok: boolean;
}

/** Compares the waits of one kind, in the quiet and under siege. */
export function compare(kind: string, quiet: readonly number[], besieged: readonly number[]): Comparison {
  const [quietMs, besiegedMs] = [p99(quiet), p99(besieged)];
  const ratio = quietMs === 0 ? Number.POSITIVE_INFINITY : besiegedMs / quietMs;
  const worstMs = besieged.reduce((most, each) => Math.max(most, each), 0);
  return { kind, quietMs, besiegedMs, worstMs, ratio, ok: ratio <= MAXIMUM_RATIO };
}

/** How many of an owner's acknowledged batches a guest was never pushed. */
export function missed(
  acknowledged: Iterable<string>,
  heard: ReadonlySet<string> | ReadonlyMap<string, unknown>,
): number {
  let count = 0;
  for (const batch of acknowledged) if (!heard.has(batch)) count++;
  return count;
}
