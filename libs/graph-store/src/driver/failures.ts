// The meaning of a failed transaction for those who wait for it.

export type Failure =
  /** Worth another try as it is: a deadlock, say. */
  | 'passing'
  /** The database can't be reached or has stopped, or its cluster has no leader; what was being committed may or may not be there: its key tells. */
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

/**
 * Failures that may last longer than a few tries: nothing that answers, in a cluster nothing that leads, or a database that has stopped itself, as on a
 * full disk, and waits to be started again. Over neo4j:// the driver makes SessionExpired of most of it. A member that has just joined may not
 * know the database yet.
 */
const AWAY: readonly RegExp[] = [
  /^(ServiceUnavailable|SessionExpired)$/,
  /^Neo\.\w+\.Cluster\.(NotALeader|ReplicationFailure|Routing)$/,
  /^Neo\.TransientError\.Transaction\.(LeaderSwitch|LeaseExpired)$/,
  /^Neo\.ClientError\.General\.(ForbiddenOnReadOnlyDatabase|WriteOnReadOnlyAccessDatabase)$/,
  /^Neo\.DatabaseError\.Transaction\.(TransactionStartFailed|TransactionLogError|TransactionCommitFailed)$/,
  /^Neo\.\w+\.\w+\.(DatabaseUnavailable|DatabaseNotFound)$/,
];

/** Thrown where a group turns out to be more than one transaction may load or do. */
export class LoadTooLarge extends Error {}

/**
 * Classifies an error of the driver by its Neo4j status code. Of `locked`, `crowded` and `slow` nothing is there, since they come before a
 * commit; after every other failure only the key tells.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof LoadTooLarge) return 'too_large';
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = String(given ?? '');
  // The driver has no code for it.
  if (code === 'N/A' && /^Connection acquisition timed out/.test(String(message))) return 'crowded';
  if (/MemoryPoolOutOfMemoryError|TransactionOutOfMemoryError|MemoryLimit/.test(code)) return 'too_large';
  if (/LockAcquisitionTimeout/.test(code)) return 'locked';
  if (/ConstraintValidationFailed|(EquivalentSchemaRule|Index|Constraint)AlreadyExists$/.test(code)) return 'duplicate';
  if (/TransactionTimedOut/.test(code)) return 'slow';
  if (AWAY.some((pattern) => pattern.test(code))) return 'away';
  // The driver drops its connections, and the next one signs in anew.
  if (/^Neo\.TransientError\.|\.AuthorizationExpired$/.test(code)) return 'passing';
  return 'broken';
}
