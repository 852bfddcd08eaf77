// Trace ids: every answer bears one, so that a user's report leads to the log lines of its request.
import { randomBytes } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The caller's span by a W3C `traceparent` header, or null where the header is missing or broken. */
export function parentOf(traceParent: string | undefined): SpanContext | null {
  const parent = parseTraceParent(traceParent ?? '');
  // Other flags are about the caller's own ids.
  return parent && { ...parent, traceFlags: parent.traceFlags & TraceFlags.SAMPLED, isRemote: true };
}

/** The trace id (32 hex digits) of a W3C `traceparent` header, or a new one where the header is missing or broken. */
export function traceIdOf(traceParent: string | undefined): string {
  return parentOf(traceParent)?.traceId ?? randomBytes(16).toString('hex');
}
