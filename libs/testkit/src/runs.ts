// How often random tests run: as their files say, or at night so many times as often.
const scale = Number(process.env.RUNS_SCALE ?? 1);

/** Runs of a property, of which a usual test run makes `count`. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * scale));
}

/** Milliseconds that a test may take which makes so many runs: `ms` in a usual test run, and at night as many times as long as it runs. */
export function timeFor(ms: number): number {
  return ms * Math.max(1, scale);
}
