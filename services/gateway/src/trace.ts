// Trace ids: every answer has one, so that a user's report leads to the log lines of the request.
import { randomBytes } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The caller's span from a W3C `traceparent` header; null if the header is missing or invalid. */
export function parentOf(traceParent: string | undefined): SpanContext | null {
  const parent = parseTraceParent(traceParent ?? '');
  // Other flags describe the caller's own ids.
  return parent && { ...parent, traceFlags: parent.traceFlags & TraceFlags.SAMPLED, isRemote: true };
}

/**
 * The trace id (32 hex digits) of a W3C `traceparent` header, or a new one if it is missing or
 * invalid.
 */
export function traceIdOf(traceParent: string | undefined): string {
  return (traceParent === undefined ? null : parentOf(traceParent))?.traceId ?? newTraceId();
}

const TRACE_ID_BYTES = 16;
/** Random bytes for many ids at once, since a system call for each id is expensive. */
const POOL_BYTES = 256 * TRACE_ID_BYTES;
let pool = Buffer.alloc(0);
let used = 0;

function newTraceId(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += TRACE_ID_BYTES;
  return pool.toString('hex', used - TRACE_ID_BYTES, used);
}
