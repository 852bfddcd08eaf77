// The metrics of a jobs service; docs/metrics.md lists them.
import { createMetrics } from '@taskgraph/runtime/telemetry/metrics';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';

const KINDS = ['expire', 'sweep', 'trash', 'history', 'rewrite', 'retire', 'webhook', 'webhooks'] as const;
/**
 * Kinds of jobs: `expire` concerns one node and `webhook` one webhook, all others the whole
 * database.
 */
export type JobKind = (typeof KINDS)[number];
/** The periodic ones. */
export type ScheduledKind = Exclude<JobKind, 'expire' | 'webhook'>;

/**
 * Upper bounds in seconds: an expiry takes milliseconds, a run over the whole database may take
 * minutes.
 */
const RUN_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1_800] as const;

/** The metrics of this process. */
export const metrics = createMetrics();
const labels = ['kind', 'outcome'];
const tries = metrics.counter(
  'taskgraph_job_runs_total',
  'Attempts of jobs. The outcome error is the last failed attempt of a job.',
  labels,
);
const work = metrics.counter('taskgraph_job_work_total', 'Results of jobs; docs/jobs.md lists them.', labels);
const observeRun = metrics.histogram('taskgraph_job_duration_seconds', 'Duration of successful jobs.', {
  labels: ['kind'],
  buckets: RUN_SECONDS,
});
let readWebhookLag = () => 0;
metrics.gauge(
  'taskgraph_hook_lag_seconds',
  'How long the oldest message of an active webhook has been due, without those that wait for their receiver or for a fault of the installation; 0 in services that did no search lately.',
  [],
  () => readWebhookLag(),
);
// Initialize all series, so that rates are correct from the first attempt on.
for (const kind of KINDS) for (const outcome of ['ok', 'retried', 'error']) tries.inc({ kind, outcome }, 0);

/** Sets the source of the lag of webhooks, seconds. */
export function reportWebhookLag(read: () => number): void {
  readWebhookLag = read;
}

/** Counts a job's outcome. Outcomes are few and fixed; each job's file defines its own. */
export function count(kind: JobKind, outcome: string, by = 1): void {
  work.inc({ kind, outcome }, by);
}

/** Records a successful attempt of a job and its duration. */
export function noteRun(kind: JobKind, seconds: number): void {
  tries.inc({ kind, outcome: 'ok' });
  observeRun({ kind }, seconds, recordedTraceId());
}

/** Records a failed attempt of a job. */
export function noteFailedTry(kind: JobKind, isLast: boolean): void {
  tries.inc({ kind, outcome: isLast ? 'error' : 'retried' });
}

/** The results of this process's jobs, by kind and outcome. */
export async function workUntilNow(): Promise<Record<string, Record<string, number>>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { labels, value } of (await work.get()).values) {
    const { kind, outcome } = labels as { kind: string; outcome: string };
    counts[kind] = { ...counts[kind], [outcome]: value };
  }
  return counts;
}
