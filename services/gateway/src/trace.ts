// Trace ids: every answer bears one, so that a user's report leads to the log lines of its request.
import { randomBytes } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';

const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<spanId>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(-.*)?$/;

/** The caller's span by a W3C `traceparent` header, or null where the header is missing or broken. */
export function parentOf(traceParent: string | undefined): SpanContext | null {
  const { traceId, spanId, flags } = TRACE_PARENT.exec(traceParent ?? '')?.groups ?? {};
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The trace id (32 hex digits) of a W3C `traceparent` header, or a new one where the header is missing or broken. */
export function traceIdOf(traceParent: string | undefined): string {
  return parentOf(traceParent)?.traceId ?? randomBytes(16).toString('hex');
}
