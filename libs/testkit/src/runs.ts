// The number of runs of random tests: as the files say, or a multiple of it at night.
const scale = Number(process.env.RUNS_SCALE ?? 1);
/** A limit only ends a test that hangs: a machine with much other work takes several times as long. */
const PATIENCE = 3;

/** The runs of a property. A usual test run makes `count`. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * scale));
}

/**
 * The time limit in milliseconds of a test that takes at most `ms` on two idle processors, and a
 * multiple of it at night.
 */
export function timeFor(ms: number): number {
  return ms * PATIENCE * Math.max(1, scale);
}
