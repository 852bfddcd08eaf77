// The report of this process for administrators, without anything of users. Rules: ADMIN3, ADMIN4.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  METRICS_LENGTH,
  REPORT_LIMIT_MS,
  SERVICE_NAME_LENGTH,
  type ServiceDetails,
  type ServiceReport,
  type StatusReply,
  type StatusRequest,
} from '@taskgraph/wire/bus/status-messages';
import { createIdFactory } from '../ids.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { shownSettings } from './shown-settings.ts';
import { VERSION } from './version.ts';

/** The metrics in reports, if the service has them. Each is summed over its labels. */
const REPORTED_METRICS = [
  'taskgraph_sockets',
  'taskgraph_rooms',
  'taskgraph_slices_held',
  'taskgraph_slices_skipped_total',
  'taskgraph_requests_open',
  'taskgraph_waiting_calls',
  'taskgraph_waiting_commands',
  'taskgraph_waiting_reads',
  'taskgraph_waiting_pages',
  'taskgraph_hook_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_resident_memory_bytes',
] as const;

/** The parts of a report that only some services have. */
type OwnParts = Partial<Pick<ServiceReport, 'queues' | 'leases' | 'serves'>>;

interface ReporterOptions {
  readonly kind: ServiceReport['kind'];
  readonly name: string;
  readonly metrics: Pick<Metrics, 'series' | 'text'>;
  /** The declared settings, and the texts of their variables. */
  readonly settings: Parameters<typeof shownSettings>[0];
  readonly environment: Parameters<typeof shownSettings>[1];
  readonly own?: () => OwnParts | Promise<OwnParts>;
}

/** Creates the handler of requests for reports: null if the request is for another process. */
export function createReporter(options: ReporterOptions): (request: StatusRequest) => Promise<StatusReply | null> {
  const { kind, name, metrics, own = () => ({}) } = options;
  const fixed = {
    process: createIdFactory()(0),
    kind,
    name: name.slice(0, SERVICE_NAME_LENGTH),
    version: VERSION,
    node: process.version,
    startedTime: new Date(Date.now() - process.uptime() * 1_000).toISOString(),
  };
  return async (request) => {
    if (request.process !== null && request.process !== fixed.process) return null;
    const [backends, shownMetrics, parts] = await Promise.all([
      inTime(() => backendsOf(metrics), []),
      inTime(() => metricsOf(metrics), []),
      inTime<OwnParts>(own, {}),
    ]);
    const report = { ...fixed, backends, metrics: shownMetrics, queues: [], leases: null, serves: [], ...parts };
    return { report, details: request.process === null ? null : await detailsOf(options) };
  };
}

/** The other value if the part fails or takes too long: the survey would miss the whole report. */
async function inTime<T>(part: () => T | Promise<T>, other: T): Promise<T> {
  const over = new AbortController();
  const late = sleep(REPORT_LIMIT_MS, other, { signal: over.signal, ref: false }).catch(() => other);
  const result = (async () => part())().catch(() => other);
  return Promise.race([result, late]).finally(() => over.abort());
}

async function backendsOf(metrics: Pick<Metrics, 'series'>): Promise<ServiceReport['backends']> {
  const series = await metrics.series('taskgraph_backend_up');
  return series.map(([{ backend = '' }, value]) => ({ name: backend, isUp: value === 1 }));
}

async function metricsOf(metrics: Pick<Metrics, 'series'>): Promise<ServiceReport['metrics']> {
  const all = await Promise.all(REPORTED_METRICS.map(async (name) => ({ name, series: await metrics.series(name) })));
  return all
    .filter(({ series }) => series.length > 0)
    .map(({ name, series }) => ({ name, value: series.reduce((sum, [, value]) => sum + value, 0) }))
    .filter(({ value }) => Number.isFinite(value));
}

/** The metrics end with a whole line. */
async function detailsOf({ metrics, settings, environment }: ReporterOptions): Promise<ServiceDetails> {
  const text = await metrics.text();
  const truncated = text.length > METRICS_LENGTH;
  const shown = truncated ? text.slice(0, text.lastIndexOf('\n', METRICS_LENGTH - 1) + 1) : text;
  return { settings: shownSettings(settings, environment), metrics: shown, truncated };
}
