// Trace ids: every answer bears one, so that a user's report leads to the log lines of its request.
import { randomBytes } from 'node:crypto';

const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id (32 hex digits) of a W3C `traceparent` header, or a new one where the header is missing or broken. */
export function traceIdOf(traceParent: string | undefined): string {
  return TRACE_PARENT.exec(traceParent ?? '')?.[1] ?? randomBytes(16).toString('hex');
}
