// Errors on the wire: the value of an expected failure, and its error body.
import type { ErrorCode, FieldProblem, RefusalCode } from './error-codes.ts';

/** An expected failure. It is a value and never thrown. One function turns it into a wire error. */
export interface Refusal {
  readonly refused: true;
  readonly code: ErrorCode;
  /** A sentence for people. It never contains content of an entity (GEN7). */
  readonly message: string;
  readonly details?: Record<string, unknown>;
}

export function refuse(code: RefusalCode, message: string, details?: Record<string, unknown>): Refusal {
  return refusal(code, message, details);
}

/** Refuses a payload because of one field. `path` is the place of the fault. */
export function refuseField(problem: FieldProblem, field: string, message: string, path = field): Refusal {
  return refusal(`bad_request.${problem}_${field}`, message, { path });
}

function refusal(code: ErrorCode, message: string, details?: Record<string, unknown>): Refusal {
  return details === undefined ? { refused: true, code, message } : { refused: true, code, message, details };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as Partial<Refusal>).refused === true;
}

/** The body of every error answer over REST and sockets (GEN3). */
export interface ErrorBody {
  readonly ok: false;
  readonly error: ErrorCode;
  readonly message: string;
  readonly trace_id: string;
  readonly details?: Record<string, unknown>;
}

export function errorBodyOf(refusal: Refusal, traceId: string): ErrorBody {
  const { code, message, details } = refusal;
  const body = { ok: false, error: code, message, trace_id: traceId } as const;
  return details === undefined ? body : { ...body, details };
}
