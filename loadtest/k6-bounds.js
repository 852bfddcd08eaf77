// The common parts of the scripts for limits: how many calls may be let in, and where their figures go.

/** Thresholds for a count that must be as said within 1 %, which for small numbers means exactly. */
export function exactly(count) {
  return [`count>=${Math.ceil(count * 0.99)}`, `count<=${Math.floor(count * 1.01)}`];
}

/** Writes the counters to the file that the runner named. */
export function figuresOf(data) {
  const counters = Object.entries(data.metrics).filter(([, { type }]) => type === 'counter');
  const figures = Object.fromEntries(counters.map(([name, { values }]) => [name, values.count]));
  return { [__ENV.FIGURES]: JSON.stringify(figures) };
}
