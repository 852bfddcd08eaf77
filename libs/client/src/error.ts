// The one error that the SDK throws.

/** What an error body says; the client's own failures have codes that start with `client.`. */
interface Parts {
  code: string;
  message: string;
  details?: Record<string, unknown> | undefined;
  /** Leads to the service's log lines; null where the service never answered. */
  traceId: string | null;
}

/** A call that failed. `code` is the service's, such as `conflict.cycle`, or the client's own, such as `client.timeout`. */
export class TaskgraphError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly traceId: string | null;

  constructor({ code, message, details = {}, traceId }: Parts) {
    super(`${code}: ${message}`);
    this.name = 'TaskgraphError';
    this.code = code;
    this.details = details;
    this.traceId = traceId;
  }
}

/** Makes an error of an answer that is not `ok`. What does not look like one becomes `client.broken_answer`. */
export function errorOf(body: unknown): TaskgraphError {
  const { error, message, details, trace_id } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  if (typeof error !== 'string') return clientError('broken_answer', 'The answer is not one of the service.');
  return new TaskgraphError({
    code: error,
    message: typeof message === 'string' ? message : '',
    details: typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : undefined,
    traceId: typeof trace_id === 'string' ? trace_id : null,
  });
}

/** A failure on the client's side; the code becomes `client.<name>`. */
export function clientError(name: string, message: string): TaskgraphError {
  return new TaskgraphError({ code: `client.${name}`, message, traceId: null });
}
