// Errors on the wire: codes, their HTTP status, and the value that stands for an expected failure.
import { z } from 'zod';

/** An expected failure. It is a value, never thrown; one function turns it into a wire error. */
export interface Refusal {
  readonly refused: true;
  /** A code such as `conflict.cycle`; its first part decides the HTTP status (GEN3). */
  readonly code: string;
  /** A sentence for people. It never carries content of an entity (GEN7). */
  readonly message: string;
  readonly details?: Record<string, unknown>;
}

/** Makes a refusal. */
export function refuse(code: string, message: string, details?: Record<string, unknown>): Refusal {
  return details === undefined ? { refused: true, code, message } : { refused: true, code, message, details };
}

/** Tells a refusal from any other value. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as Partial<Refusal>).refused === true;
}

const STATUS_BY_FAMILY: Record<string, number> = {
  unauthorized: 401,
  forbidden: 403,
  no_permission: 403,
  not_found: 404,
  version_conflict: 409,
  conflict: 409,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** The HTTP status of an error code: it follows the code's first part (GEN3). */
export function httpStatusOf(code: string): number {
  if (code === 'bad_request.too_large') return 413;
  return STATUS_BY_FAMILY[code.split('.')[0] ?? ''] ?? 400;
}

/** The body of every error answer, REST and socket alike (GEN3). */
export const errorBody = z.strictObject({
  ok: z.literal(false),
  error: z.string(),
  message: z.string(),
  trace_id: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** Turns a refusal into the wire's error body. */
export function errorBodyOf(refusal: Refusal, traceId: string): ErrorBody {
  const body: ErrorBody = { ok: false, error: refusal.code, message: refusal.message, trace_id: traceId };
  if (refusal.details !== undefined) body.details = refusal.details;
  return body;
}
