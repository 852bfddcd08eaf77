// Statistics over measured values.

export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which a share (0 to 1) of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The candidate with the highest average, so that one lucky turn does not decide. */
export function bestOf<T>(candidates: readonly T[], figuresOf: (candidate: T) => readonly number[]): T {
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error('there is nothing to choose from');
  return others.reduce(
    (best, candidate) => (mean(figuresOf(candidate)) > mean(figuresOf(best)) ? candidate : best),
    first,
  );
}

/** Rounds small figures to two decimals, large ones to integers. */
export function round(value: number): number {
  if (Math.abs(value) >= 100) return Math.round(value);
  return Math.abs(value) >= 1 ? Math.round(value * 100) / 100 : Number(value.toPrecision(3));
}

/**
 * Counts of values by upper bound, of which the last is infinite: `[[1, 12], [2, 5], [Infinity,
 * 1]]`.
 */
export function histogram(values: readonly number[], bounds: readonly number[]): [bound: number, count: number][] {
  const all = [...bounds, Number.POSITIVE_INFINITY];
  return all.map((bound, index) => {
    const least = all[index - 1] ?? Number.NEGATIVE_INFINITY;
    return [bound, values.filter((value) => value > least && value <= bound).length];
  });
}

/**
 * The lags of all events of a turn. Events that never arrived count with the time for which the bench
 * waited: otherwise the fewer events arrive, the better the figure is.
 */
export function withMissing(lagsMs: readonly number[], due: number, waitedMs: number): number[] {
  const missing = Math.max(0, due - lagsMs.length);
  return [...lagsMs, ...Array.from({ length: missing }, () => waitedMs)];
}
