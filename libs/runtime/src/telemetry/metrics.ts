// The metrics of a service, by prom-client. Numbers that other modules keep are read at each
// scrape.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';

/**
 * Values of a metric's labels, from lists fixed in the code: every combination lives as long as the
 * process.
 */
export type Labels = Readonly<Record<string, string>>;

/** A reader's result: a number, or numbers with their labels. */
type Reading = number | Iterable<readonly [Labels, number]>;

/** One metric as the documents describe it. */
export interface MetricDescription {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly meaning: string;
}

interface HistogramOptions {
  readonly labels?: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** Records a value. `traceId` names a recorded trace as an exemplar, if there is one. */
export type Observe = (labels: Labels, value: number, traceId: string | null) => void;

export interface Metrics {
  /**
   * A number that only grows, with a name that ends in `_total`. Its `inc` counts, or `read`
   * returns a number kept elsewhere.
   */
  counter(name: string, meaning: string, labels: readonly string[], read?: () => Reading): Counter;
  /** A number that goes up and down. */
  gauge(name: string, meaning: string, labels: readonly string[], read: () => Reading | Promise<Reading>): void;
  histogram(name: string, meaning: string, options: HistogramOptions): Observe;
  /** All declared metrics in order, without the process metrics of the library. */
  describe(): readonly MetricDescription[];
  /** The present values of a metric with their labels; none if there is no such metric. */
  series(name: string): Promise<readonly (readonly [Labels, number])[]>;
  /** The text for a scraper, in OpenMetrics, the only format with exemplars. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Upper bounds in seconds for durations that callers wait for. */
export const WAITING_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] as const;

/**
 * Starts with the process metrics: processor time, memory, garbage collection and event loop lag.
 */
export function createMetrics(): Metrics {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  collectDefaultMetrics({ register: registry });
  const declared: MetricDescription[] = [];
  const describe = (description: MetricDescription) => {
    if (!/^taskgraph_[a-z_]+$/.test(description.name) || declared.some(({ name }) => name === description.name))
      throw new Error(`${description.name} is not a new name of a metric`);
    declared.push(description);
  };
  return {
    counter(name, meaning, labels, read) {
      describe({ name, type: 'counter', labels, meaning });
      const options = { name, help: meaning, labelNames: [...labels], registers: [registry] };
      if (read === undefined) return new Counter(options);
      const counter: Counter = new Counter({
        ...options,
        collect() {
          counter.reset();
          for (const [values, value] of listOf(read())) counter.inc({ ...values }, value);
        },
      });
      return counter;
    },
    gauge(name, meaning, labels, read) {
      describe({ name, type: 'gauge', labels, meaning });
      const gauge = new Gauge({
        name,
        help: meaning,
        labelNames: [...labels],
        registers: [registry],
        async collect() {
          const reading = await read();
          gauge.reset();
          for (const [values, value] of listOf(reading)) gauge.set({ ...values }, value);
        },
      });
    },
    histogram(name, meaning, { labels = [], buckets }) {
      describe({ name, type: 'histogram', labels, meaning });
      const histogram = new Histogram({
        name,
        help: meaning,
        labelNames: [...labels],
        registers: [registry],
        buckets: [...buckets],
        enableExemplars: true,
      });
      return (values, value, traceId) =>
        histogram.observe({
          labels: values,
          value,
          exemplarLabels: traceId === null ? NO_EXEMPLAR : { trace_id: traceId },
        });
    },
    describe: () => declared,
    async series(name) {
      const metric = await registry.getSingleMetric(name)?.get();
      return (metric?.values ?? []).map(({ labels, value }) => [labels as Labels, value] as const);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

const NO_EXEMPLAR = {};
const NO_LABELS: Labels = {};

function listOf(reading: Reading): Iterable<readonly [Labels, number]> {
  return typeof reading === 'number' ? [[NO_LABELS, reading]] : reading;
}

/** Reads counts with one label, by its value. */
export function* byLabel(label: string, counts: Readonly<Record<string, number>>): Iterable<readonly [Labels, number]> {
  for (const [name, count] of Object.entries(counts)) yield [{ [label]: name }, count];
}
