// Common parts of the limit scripts: thresholds for accepted calls, and the output of the counters.

/** Thresholds for a count with a tolerance of 1 %, which is none for small numbers. */
export function exactly(count) {
  return [`count>=${Math.ceil(count * 0.99)}`, `count<=${Math.floor(count * 1.01)}`];
}

/** Writes the counters to the runner's file. */
export function figuresOf(data) {
  const counters = Object.entries(data.metrics).filter(([, { type }]) => type === 'counter');
  const figures = Object.fromEntries(counters.map(([name, { values }]) => [name, values.count]));
  return { [__ENV.FIGURES]: JSON.stringify(figures) };
}
