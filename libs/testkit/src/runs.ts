// The number of runs of random tests: as the files say, or a multiple of it at night.
const scale = Number(process.env.RUNS_SCALE ?? 1);

/** The runs of a property. A usual test run makes `count`. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * scale));
}

/**
 * The time limit of a test in milliseconds: `ms` in a usual test run, and the same multiple as the
 * runs at night.
 */
export function timeFor(ms: number): number {
  return ms * Math.max(1, scale);
}
