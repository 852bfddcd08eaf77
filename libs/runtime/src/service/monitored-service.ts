// Runs a monitored service: log, traces, and the admin port with health and metrics.
import { createLog, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { openAdmin } from './admin.ts';
import { type BackendChecks, countBackends, createHealth } from './health.ts';
import { runService, STOP_LIMIT_MS } from './lifecycle.ts';

/** A started service. */
export interface StartedService {
  readonly metrics: Metrics;
  readonly backends: BackendChecks;
  /** Backends that the service can work without. */
  readonly optional?: readonly string[];
  /** Accepts no new work and finishes the work in progress. */
  drain(): Promise<void>;
  /** Closes the connections. */
  close(): Promise<unknown>;
}

interface MonitoredServiceOptions {
  /** The kind of service, such as `gateway`. */
  readonly name: string;
  /** Unique name among services of the kind. */
  readonly instance: string;
  /** The values of `watchSettings`. */
  readonly config: {
    readonly LOG_LEVEL: string;
    readonly ADMIN_HOST: string;
    readonly ADMIN_PORT: number;
    readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  };
  /**
   * Milliseconds by which the drain delays on purpose, in addition to the stop limit. Defaults to
   * 0.
   */
  readonly noticeMs?: number;
  start(log: Log): Promise<StartedService>;
}

/** Runs the service until a signal, as `runService` does. */
export function runMonitoredService({
  name,
  instance,
  config,
  noticeMs = 0,
  start,
}: MonitoredServiceOptions): Promise<void> {
  const log = createLog({ name: instance, level: config.LOG_LEVEL });
  return runService({
    name,
    log,
    stopLimitMs: STOP_LIMIT_MS + noticeMs,
    async start() {
      const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
      const tracing = await startTracing({ service: name, instance, endpoint, log });
      const admin = await openAdmin({ host: config.ADMIN_HOST, port: config.ADMIN_PORT, log });
      const { metrics, backends, optional = [], drain, close } = await start(log);
      const health = createHealth(backends);
      countBackends(metrics, health);
      admin.ready({ health, metrics, optional });
      return {
        async stop() {
          admin.stopping();
          await drain();
          // The last spans may wait for an unreachable collector; do both at once.
          await Promise.all([close(), tracing.stop()]);
          await admin.close();
        },
      };
    },
  });
}
