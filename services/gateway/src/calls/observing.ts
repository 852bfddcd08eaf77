// Follows each call from its arrival to its answer: its trace, its time, and one line of the log. The HTTP server is unknown to the
// instrumentations that there are, so that the spans of calls are made here.
import { type Context, context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { CallKind, CallOutcome, GatewayMetrics, Transport } from '../metrics.ts';
import { parentOf, traceIdOf } from '../trace.ts';

export interface Observed {
  /** The answer's `trace_id`, 32 hex digits: the id of the call's trace, or the client's own where none is recorded. */
  readonly traceId: string;
  /** Does something as part of the call: what it sends belongs to its trace. */
  within<T>(work: () => T): T;
  /** Notes what became of it, by its HTTP status, which calls of sockets have too. */
  end(status: number): void;
}

interface Arriving {
  readonly kind: CallKind;
  /** An event or the name of a route; never what a client made up. */
  readonly name: string;
  readonly transport: Transport;
  /** The W3C header, if there is one. */
  readonly traceParent?: string | undefined;
}

/** Begins to follow a call. */
export type Observe = (call: Arriving) => Observed;

interface Options {
  readonly metrics: Pick<GatewayMetrics, 'note'>;
  readonly log: { debug(fields: object, message: string): void };
}

const tracer = trace.getTracer('taskgraph');

export function createObserve({ metrics, log }: Options): Observe {
  return ({ kind, name, transport, traceParent }) => {
    const startedAt = performance.now();
    const { span, within } = startSpan(`${transport} ${name}`, traceParent, { kind, transport });
    const traceId = span?.spanContext().traceId ?? traceIdOf(traceParent);
    return {
      traceId,
      within: (work) => (within === null ? work() : context.with(within, work)),
      end(status) {
        const outcome = outcomeOf(status);
        const milliseconds = performance.now() - startedAt;
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

/** Null where no traces are recorded: the API then gives spans without an id. */
function startSpan(
  name: string,
  traceParent: string | undefined,
  { kind, transport }: Pick<Arriving, 'kind' | 'transport'>,
): { span: Span; within: Context } | { span: null; within: null } {
  const parent = parentOf(traceParent);
  const around = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const attributes = { 'taskgraph.kind': kind, 'taskgraph.transport': transport };
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, around);
  // Without an SDK the client's own span comes back, which is not ours to go on with.
  const { spanId } = span.spanContext();
  if (!trace.isSpanContextValid(span.spanContext()) || spanId === parent?.spanId) return { span: null, within: null };
  return { span, within: trace.setSpan(around, span) };
}

function outcomeOf(status: number): CallOutcome {
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'error';
}

/** The kind and name of a call in metrics and traces. */
export function nameOf(
  operation: Pick<Operation, 'kind' | 'name'> | undefined,
): Readonly<{ kind: CallKind; name: string }> {
  return operation === undefined ? { kind: 'other', name: 'other' } : { kind: operation.kind, name: operation.name };
}
