// The siege's measures: response times against undisturbed ones, and missed pushes.
import { percentile } from '@taskgraph/bench/measure/figures';

/** The largest permitted p99 under attack, as a multiple of the undisturbed one. */
const MAXIMUM_RATIO = 5;
const TAIL = 0.99;

/** The value below which 99 in 100 lie; 0 without values. */
export function p99(values: readonly number[]): number {
  return values.length === 0 ? 0 : percentile(values, TAIL);
}

export interface Comparison {
  readonly kind: string;
  readonly quietMs: number;
  readonly siegeMs: number;
  readonly worstMs: number;
  readonly ratio: number;
  readonly ok: boolean;
}

/** Compares the response times of one kind, undisturbed and under attack. */
export function compare(kind: string, quiet: readonly number[], underSiege: readonly number[]): Comparison {
  const [quietMs, siegeMs] = [p99(quiet), p99(underSiege)];
  const ratio = quietMs === 0 ? Number.POSITIVE_INFINITY : siegeMs / quietMs;
  const worstMs = underSiege.reduce((most, each) => Math.max(most, each), 0);
  return { kind, quietMs, siegeMs, worstMs, ratio, ok: ratio <= MAXIMUM_RATIO };
}

/** The number of an owner's acknowledged batches that a guest never received. */
export function countMissed(
  acknowledged: Iterable<string>,
  received: ReadonlySet<string> | ReadonlyMap<string, unknown>,
): number {
  let count = 0;
  for (const batch of acknowledged) if (!received.has(batch)) count++;
  return count;
}
