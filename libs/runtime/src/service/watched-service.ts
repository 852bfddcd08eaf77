// Runs a service with all that watches it: log, traces, and the admin port with its health and metrics.
import { createLog, type Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing.ts';
import { openAdmin } from './admin.ts';
import { type BackendChecks, countBackends, createHealth } from './health.ts';
import { runService, STOP_LIMIT_MS } from './lifecycle.ts';

/** A service that can work. */
export interface StartedService {
  readonly metrics: Metrics;
  readonly backends: BackendChecks;
  /** Backends without which it works on. */
  readonly optional?: readonly string[];
  /** Takes nothing new, and lets what is under way finish. */
  drain(): Promise<void>;
  /** Closes its connections. */
  close(): Promise<unknown>;
}

interface Options {
  /** The kind of service, such as `gateway`. */
  readonly name: string;
  /** Its own name among those of its kind. */
  readonly instance: string;
  /** The values of `watchSettings`. */
  readonly config: {
    readonly LOG_LEVEL: string;
    readonly ADMIN_HOST: string;
    readonly ADMIN_PORT: number;
    readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  };
  /** Milliseconds that its drain waits on purpose, and that don't count as a stop that takes too long. 0 if not given. */
  readonly noticeMs?: number;
  start(log: Log): Promise<StartedService>;
}

/** Runs it until it is told to stop, as `runService` does. */
export function runWatchedService({ name, instance, config, noticeMs = 0, start }: Options): Promise<void> {
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
          // The last spans may have to wait for a collector that is away, which must not add to what else takes long.
          await Promise.all([close(), tracing.stop()]);
          await admin.close();
        },
      };
    },
  });
}
