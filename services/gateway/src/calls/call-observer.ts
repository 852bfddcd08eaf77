// Observes each call from its arrival to its answer: trace, duration, metrics and a log line. It
// creates the spans itself, since OpenTelemetry has no instrumentation for uWebSockets.
import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { CallKind, CallOutcome, GatewayMetrics, Transport } from '../metrics.ts';
import { parentOf, traceIdOf } from '../trace.ts';

export interface ObservedCall {
  /**
   * The answer's `trace_id`, 32 hex digits: of the call's trace, or the client's own if none is
   * recorded.
   */
  readonly traceId: string;
  /** Runs work in the call's trace. */
  within<T>(work: () => T): T;
  /**
   * Ends the call with its HTTP status; socket calls have one too. The time for which it waited for
   * a change does not count.
   */
  end(status: number, waitedMs?: number): void;
}

interface CallStart {
  readonly kind: CallKind;
  /** An event or the name of a route; never a client's own text. */
  readonly name: string;
  readonly transport: Transport;
  /** The W3C `traceparent` header. */
  readonly traceParent?: string | undefined;
}

/** Starts observing a call. */
export type Observe = (call: CallStart) => ObservedCall;

interface CallObserverOptions {
  readonly metrics: Pick<GatewayMetrics, 'note'>;
  readonly log: { debug(fields: object, message: string): void };
}

const tracer = trace.getTracer('taskgraph');

export function createObserve({ metrics, log }: CallObserverOptions): Observe {
  return ({ kind, name, transport, traceParent }) => {
    const startedAt = performance.now();
    const { span, within } = startSpan(`${transport} ${name}`, traceParent, { kind, transport });
    const traceId = span?.spanContext().traceId ?? traceIdOf(traceParent);
    return {
      traceId,
      within: (work) => (within === null ? work() : context.with(within, work)),
      end(status, waitedMs = 0) {
        const outcome = outcomeOf(status);
        const milliseconds = performance.now() - startedAt - waitedMs;
        const recorded = span?.isRecording() ? traceId : null;
        metrics.note({ kind, name, transport, outcome, seconds: milliseconds / 1_000, traceId: recorded });
        log.debug(
          { traceId, call: name, transport, status, milliseconds: Math.round(milliseconds) },
          'a call was answered',
        );
        if (span === null) return;
        span.setAttribute('http.response.status_code', status);
        if (outcome === 'error') span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
}

/** Null without trace recording: the API's spans then have no id. */
function startSpan(
  name: string,
  traceParent: string | undefined,
  { kind, transport }: Pick<CallStart, 'kind' | 'transport'>,
): { span: Span; within: Context } | { span: null; within: null } {
  const parent = parentOf(traceParent);
  const around = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const attributes = { 'taskgraph.kind': kind, 'taskgraph.transport': transport };
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, around);
  // Without an SDK the API returns the client's own span, which the gateway must not continue.
  const { spanId } = span.spanContext();
  if (!trace.isSpanContextValid(span.spanContext()) || spanId === parent?.spanId) return { span: null, within: null };
  return { span, within: trace.setSpan(around, span) };
}

function outcomeOf(status: number): CallOutcome {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'error';
}

/** The call's kind and name in metrics and traces. */
export function nameOf(
  operation: Pick<Operation, 'kind' | 'name'> | undefined,
): Readonly<{ kind: CallKind; name: string }> {
  return operation === undefined ? { kind: 'other', name: 'other' } : { kind: operation.kind, name: operation.name };
}
