// Classifies failed transactions.

export type Failure =
  /** Worth an unchanged retry, such as a deadlock. */
  | 'passing'
  /**
   * The database is unreachable or stopped, or its cluster has no leader. A commit in progress may
   * have succeeded: look up its key.
   */
  | 'away'
  /** No connection was free in time, so nothing was executed: retry without halving the group. */
  | 'crowded'
  /** A lock was not available in time: split the group by owner. */
  | 'locked'
  /**
   * Two transactions created the same unique key or index: read again and find the other's batch.
   */
  | 'duplicate'
  /** Too large for one transaction: halve the group. Neo4j calls it retriable, but it is not. */
  | 'too_large'
  /**
   * It exceeded the transaction's time limit and left nothing: a large command, or a busy or cold
   * database.
   */
  | 'slow'
  /** Any other error is a bug or a bad command: halve the group until it has one command. */
  | 'broken';

/**
 * Failures that may outlast a few retries: no server responds, a cluster has no leader, or a
 * database has stopped itself, as on a full disk, and waits for a restart. Over neo4j:// the driver
 * reports most of them as SessionExpired. A new cluster member may not know the database yet.
 */
const AWAY: readonly RegExp[] = [
  /^(ServiceUnavailable|SessionExpired)$/,
  /^Neo\.\w+\.Cluster\.(NotALeader|ReplicationFailure|Routing)$/,
  /^Neo\.TransientError\.Transaction\.(LeaderSwitch|LeaseExpired)$/,
  /^Neo\.ClientError\.General\.(ForbiddenOnReadOnlyDatabase|WriteOnReadOnlyAccessDatabase)$/,
  /^Neo\.DatabaseError\.Transaction\.(TransactionStartFailed|TransactionLogError|TransactionCommitFailed)$/,
  /^Neo\.\w+\.\w+\.(DatabaseUnavailable|DatabaseNotFound)$/,
];

const LOCK_UPGRADE = /Failed to upgrade shared lock to exclusive/;

/** Thrown if a group turns out too large for one transaction to load or execute. */
export class LoadTooLarge extends Error {}

/** Thrown if the database does not plan a statement in time. */
export class StatementNotPlanned extends Error {}

/**
 * Classifies a driver error by its Neo4j status code. `locked`, `crowded` and `slow` come before a
 * commit and leave nothing; after any other failure only the key shows the result.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof LoadTooLarge) return 'too_large';
  if (error instanceof StatementNotPlanned) return 'slow';
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = String(given ?? '');
  // The driver has no code for this failure.
  if (code === 'N/A' && /^Connection acquisition timed out/.test(String(message))) return 'crowded';
  if (/MemoryPoolOutOfMemoryError|TransactionOutOfMemoryError|MemoryLimit/.test(code)) return 'too_large';
  // The server reports a time-out as a general failure if a shared lock should become exclusive.
  if (/LockAcquisitionTimeout/.test(code) || LOCK_UPGRADE.test(String(message))) return 'locked';
  if (/ConstraintValidationFailed|(EquivalentSchemaRule|Index|Constraint)AlreadyExists$/.test(code)) return 'duplicate';
  // A write that ends too late divides by zero (libs/graph-store/src/commit/write-statement.ts).
  // A transaction that exceeds its time while it waits for a lock has a code of its own.
  if (/TransactionTimedOut|LockClientStopped|Statement\.ArithmeticError/.test(code)) return 'slow';
  if (AWAY.some((pattern) => pattern.test(code))) return 'away';
  // The driver drops its connections, and the next one authenticates again.
  if (/^Neo\.TransientError\.|\.AuthorizationExpired$/.test(code)) return 'passing';
  return 'broken';
}
