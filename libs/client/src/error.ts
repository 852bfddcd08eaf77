// The error class of the SDK.
import type { ErrorCode } from '@taskgraph/wire/public-types';

/** The client's own failures. */
type ClientErrorCode =
  | 'client.timeout'
  | 'client.disconnected'
  | 'client.closed'
  | 'client.too_many_calls'
  | 'client.queue_full'
  | 'client.outcome_unknown'
  | 'client.depends_on_refused'
  | 'client.replica_full'
  | 'client.other_user'
  | 'client.broken_answer';

/**
 * A code of the service (docs/errors.md) or of the client. A later release of the service may send
 * other codes.
 */
export type TaskgraphErrorCode = ErrorCode | ClientErrorCode;

interface ErrorParts {
  code: TaskgraphErrorCode;
  message: string;
  details?: Record<string, unknown> | undefined;
  /** Identifies the service's log lines; null if the service did not answer. */
  traceId: string | null;
}

/**
 * A call that failed. `code` is the service's, such as `conflict.cycle`, or the client's own, such
 * as `client.timeout`.
 */
export class TaskgraphError extends Error {
  readonly code: TaskgraphErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly traceId: string | null;

  constructor({ code, message, details = {}, traceId }: ErrorParts) {
    super(`${code}: ${message}`);
    this.name = 'TaskgraphError';
    this.code = code;
    this.details = details;
    this.traceId = traceId;
  }
}

/** The error of an answer that is not `ok`. Any other body becomes `client.broken_answer`. */
export function errorOf(body: unknown): TaskgraphError {
  const { error, message, details, trace_id } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  if (typeof error !== 'string') return clientError('client.broken_answer', 'The answer is not one of the service.');
  return new TaskgraphError({
    code: error as ErrorCode,
    message: typeof message === 'string' ? message : '',
    details: typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : undefined,
    traceId: typeof trace_id === 'string' ? trace_id : null,
  });
}

/** An error that the client throws without a call, with a code of the service. */
export function localRefusal(code: ErrorCode, message: string): TaskgraphError {
  return new TaskgraphError({ code, message, traceId: null });
}

/** A failure of the client itself. */
export function clientError(code: ClientErrorCode, message: string): TaskgraphError {
  return new TaskgraphError({ code, message, traceId: null });
}
