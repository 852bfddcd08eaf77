// How often random tests run: as their files say, or at night so many times as often.
const scale = Number(process.env.RUNS_SCALE ?? 1);

/** Runs of a property, of which a usual test run makes `count`. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * scale));
}
