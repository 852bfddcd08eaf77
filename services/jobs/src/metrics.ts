// The metrics of a jobs service; docs/metrics.md is their table.
import { createMetrics, type Labels, type Metrics } from '@taskgraph/runtime/telemetry/metrics';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import { counters, type JobKind, runs } from './counters.ts';

/** Upper bounds in seconds: an expiry takes milliseconds, a run over the whole database may take minutes. */
const RUN_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1_800] as const;

export interface JobMetrics {
  readonly metrics: Metrics;
  /** Notes how long a job took that ended well. */
  noteRun(kind: JobKind, seconds: number): void;
}

export function createJobMetrics(): JobMetrics {
  const metrics = createMetrics();
  const { counter, histogram } = metrics;
  counter('taskgraph_job_runs_total', 'Tries of jobs; an error is the last try of one.', ['kind', 'outcome'], () =>
    byKind(runs),
  );
  counter('taskgraph_job_work_total', 'What the jobs came to, as docs/jobs.md says.', ['kind', 'outcome'], () =>
    byKind(counters),
  );
  const note = histogram('taskgraph_job_duration_seconds', 'What a job takes that ends well.', {
    ...{ labels: ['kind'], buckets: RUN_SECONDS },
  });
  return { metrics, noteRun: (kind, seconds) => note({ kind }, seconds, recordedTraceId()) };
}

function* byKind(counts: Readonly<Record<JobKind, Readonly<Record<string, number>>>>): Iterable<[Labels, number]> {
  for (const [kind, outcomes] of Object.entries(counts)) {
    for (const [outcome, count] of Object.entries(outcomes)) yield [{ kind, outcome }, count];
  }
}
