// The meaning of a failed transaction for those who wait for it.

export type Failure =
  /** Worth another try as it is: a deadlock, say. */
  | 'passing'
  /** The database can't be reached; what was being committed may or may not be there. */
  | 'away'
  /** No connection to the database was free in time, so that nothing of it was begun: try again, and don't halve what is not to blame. */
  | 'crowded'
  /** A lock was not had in time: split the group by owner. */
  | 'locked'
  /** Two transactions made the same unique key, or the same index: read again, the other one's batch is there. */
  | 'duplicate'
  /** Too much for one transaction: halve the group. Neo4j calls this retriable, and it is not. */
  | 'too_large'
  /** It took longer than its transaction may last, so that nothing of it is there: a large command, or a database that is busy or cold. */
  | 'slow'
  /** Anything else is a bug or a bad command: halve the group until it stands alone. */
  | 'broken';

/** Classifies an error of the driver by its Neo4j status code. */
export function failureOf(error: unknown): Failure {
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = String(given ?? '');
  // The driver has no code for it.
  if (code === 'N/A' && /^Connection acquisition timed out/.test(String(message))) return 'crowded';
  if (/MemoryPoolOutOfMemoryError|TransactionOutOfMemoryError|MemoryLimit/.test(code)) return 'too_large';
  if (/LockAcquisitionTimeout/.test(code)) return 'locked';
  if (/ConstraintValidationFailed|(EquivalentSchemaRule|Index|Constraint)AlreadyExists$/.test(code)) return 'duplicate';
  if (/TransactionTimedOut/.test(code)) return 'slow';
  if (/ServiceUnavailable|SessionExpired|NotALeader|ForbiddenOnReadOnlyDatabase|DatabaseUnavailable/.test(code))
    return 'away';
  if (/^Neo\.TransientError\./.test(code)) return 'passing';
  return 'broken';
}
