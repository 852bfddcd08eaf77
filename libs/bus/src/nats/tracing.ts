// Propagates traces over NATS in the W3C headers and records a span for each send and receive.

import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('taskgraph');

const setter = { set: (carrier: MsgHdrs, name: string, value: string) => carrier.set(name, value) };
const getter = {
  keys: (carrier: MsgHdrs) => carrier.keys(),
  get: (carrier: MsgHdrs, name: string) => carrier.get(name),
};

/**
 * Sends a request within the active trace and ends the span with the reply. Without a trace the
 * message has no headers, as for most of a gateway's own requests.
 */
export async function inSendingSpan<T>(
  subject: string,
  send: (headers: MsgHdrs | undefined) => Promise<T>,
): Promise<T> {
  const sending = startSending(subject);
  if (sending === null) return send(undefined);
  try {
    return await send(sending.headers);
  } finally {
    sending.span.end();
  }
}

/** Like `inSendingSpan`, for messages without a reply. */
export function withSendingSpan(subject: string, send: (headers: MsgHdrs | undefined) => void): void {
  const sending = startSending(subject);
  if (sending === null) {
    send(undefined);
    return;
  }
  try {
    send(sending.headers);
  } finally {
    sending.span.end();
  }
}

function startSending(subject: string) {
  if (trace.getActiveSpan() === undefined) return null;
  const span = tracer.startSpan(`send ${subject}`, { kind: SpanKind.PRODUCER, attributes: attributesOf(subject) });
  const carrier = headers();
  propagation.inject(trace.setSpan(context.active(), span), carrier, setter);
  return { span, headers: carrier };
}

/** Processes a message within the trace of its headers, if any. */
export async function inReceivingSpan(name: string, message: Msg, work: () => Promise<void>): Promise<void> {
  if (message.headers === undefined) return work();
  const parent = propagation.extract(ROOT_CONTEXT, message.headers, getter);
  if (trace.getSpan(parent) === undefined) return work();
  const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes: attributesOf(message.subject) }, parent);
  try {
    await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
    throw error;
  } finally {
    span.end();
  }
}

function attributesOf(subject: string) {
  return { 'messaging.system': 'nats', 'messaging.destination.name': subject };
}
