// Starts the recording of traces where a collector is configured. Where none is, no code of the SDK is loaded and spans cost next to nothing.
//
// Spans are made with the API of OpenTelemetry, whose functions do nothing until an SDK is there. Libraries make theirs with it too.
import { type Attributes, DiagLogLevel, diag, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Log } from './log.ts';

/** How long the end of a service waits for its last spans to be taken, milliseconds. */
const LAST_EXPORT_LIMIT_MS = 3_000;

interface Options {
  /** The kind of service, such as `gateway`. */
  readonly service: string;
  /** Its own name among those of its kind. */
  readonly instance: string;
  /** Where a collector takes OTLP over HTTP, such as http://collector:4318; undefined where there is none. */
  readonly endpoint: string | undefined;
  readonly log: Pick<Log, 'warn'>;
}

export interface Tracing {
  /** Hands over the last spans, for 3 s at most, and records no more. */
  stop(): Promise<void>;
}

/**
 * Starts the SDK, once in a process. Its other settings stand in the variables that OpenTelemetry itself names:
 * `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS` and so on.
 */
export async function startTracing({ service, instance, endpoint, log }: Options): Promise<Tracing> {
  if (endpoint === undefined) return { stop: async () => undefined };
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  // Before anything of the SDK is made: what it can't do, such as to reach the collector, it says here and nowhere else.
  const warn = (reason: string) => log.warn({ reason }, 'traces could not be recorded or handed over');
  diag.setLogger(
    { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    DiagLogLevel.WARN,
  );
  // Backtracks: the address comes from the configuration.
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `taskgraph-${service}`, 'service.instance.id': instance }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: LAST_EXPORT_LIMIT_MS })],
  });
  provider.register();
  return {
    async stop() {
      // A collector that is away costs the last spans and nothing else.
      await provider.shutdown().catch((error: unknown) => warn(String(error)));
    },
  };
}

const tracer = trace.getTracer('taskgraph');

/** Does something in a span below the one that is active, or without a span where none is. A rejection is noted in it, and passed on. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : inNewSpan(name, { attributes }, work);
}

/** Does something as the beginning of a trace of its own. */
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

/** The id of the active trace where it is recorded, 32 hex digits; null where it is not. */
export function recordedTraceId(): string | null {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : null;
}
