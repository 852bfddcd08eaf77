// The reasons for which a message does not reach a receiver. Operators see them in logs and
// metrics. Users see one outcome for all of them (HOOK9).

export const FAILURE_REASONS = [
  'unresolved',
  'lookup',
  'forbidden',
  'connection',
  'proxy',
  'response',
  'timeout',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** An attempt that got no answer over HTTP. */
export class SendFailure extends Error {
  readonly reason: FailureReason;
  /** A fault of this installation, such as its name servers: it says nothing about the receiver. */
  readonly isOwnFault: boolean;

  constructor(
    reason: FailureReason,
    message: string,
    { cause, isOwnFault = false }: { readonly cause?: unknown; readonly isOwnFault?: boolean } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.isOwnFault = isOwnFault;
  }
}

/** The failure itself, or one with this reason for another error. */
export function failureOf(error: unknown, reason: FailureReason, isOwnFault = false): SendFailure {
  if (error instanceof SendFailure) return error;
  return new SendFailure(reason, error instanceof Error ? error.message : String(error), { cause: error, isOwnFault });
}
