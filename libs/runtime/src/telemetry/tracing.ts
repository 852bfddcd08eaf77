// Records traces if a collector is configured. Otherwise no SDK code is loaded and spans cost
// almost nothing.
//
// Spans use the OpenTelemetry API, whose functions do nothing without an SDK. Libraries use it as
// well.
import { type Attributes, DiagLogLevel, diag, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Log } from './log.ts';

/** Milliseconds that the end of a service waits for the export of its last spans. */
const LAST_EXPORT_LIMIT_MS = 3_000;

interface TracingOptions {
  /** The kind of service, such as `gateway`. */
  readonly service: string;
  /** Unique name among services of the kind. */
  readonly instance: string;
  /**
   * OTLP address of a collector over HTTP, such as http://collector:4318; undefined if there is
   * none.
   */
  readonly endpoint: string | undefined;
  readonly log: Pick<Log, 'warn'>;
}

export interface Tracing {
  /** Exports the last spans within 3 s and stops recording. */
  stop(): Promise<void>;
}

/**
 * Starts the SDK, once in a process. OpenTelemetry's own variables hold its other settings:
 * `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS` and so on.
 */
export async function startTracing({ service, instance, endpoint, log }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return { stop: async () => undefined };
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  // Set this before any other SDK object exists: the SDK reports failures, such as an unreachable
  // collector, only here.
  const warn = (reason: string) => log.warn({ reason }, 'traces could not be recorded or exported');
  diag.setLogger(
    { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    DiagLogLevel.WARN,
  );
  // Backtracks: within a bound, the address comes from the configuration.
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `taskgraph-${service}`, 'service.instance.id': instance }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: LAST_EXPORT_LIMIT_MS })],
  });
  provider.register();
  return {
    async stop() {
      // An unreachable collector costs only the last spans.
      await provider.shutdown().catch((error: unknown) => warn(String(error)));
    },
  };
}

const tracer = trace.getTracer('taskgraph');

/**
 * Runs work in a span below the active one, or without a span if none is active. The span records a
 * rejection, which is rethrown.
 */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : inNewSpan(name, { attributes }, work);
}

/** Runs work as the root of a new trace. */
export function inNewTrace<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return inNewSpan(name, { attributes, root: true }, work);
}

function inNewSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The active trace's id, 32 hex digits, if it is recorded; otherwise null. */
export function recordedTraceId(): string | null {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : null;
}
