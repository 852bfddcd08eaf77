import { error as driverErrors, Neo4jError } from 'neo4j-driver';
import { describe, expect, test } from 'vitest';
import { failureOf } from './failures.ts';

test.each([
  ['Neo.TransientError.Transaction.DeadlockDetected', 'passing'],
  ['Neo.TransientError.Transaction.LockAcquisitionTimeout', 'locked'],
  ['Neo.ClientError.Schema.ConstraintValidationFailed', 'duplicate'],
  ['Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists', 'duplicate'],
  ['Neo.ClientError.Schema.IndexAlreadyExists', 'duplicate'],
  ['Neo.ClientError.Schema.IndexWithNameAlreadyExists', 'broken'],
  // Neo4j calls it transient, but a retry needs the same memory.
  ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'too_large'],
  ['Neo.ClientError.Transaction.TransactionTimedOut', 'slow'],
  ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', 'slow'],
  ['Neo.ClientError.Transaction.LockClientStopped', 'slow'],
  ['Neo.ClientError.Statement.ArithmeticError', 'slow'],
  ['ServiceUnavailable', 'away'],
  ['Neo.ClientError.Statement.SyntaxError', 'broken'],
])('a failure with %s is %s', (code, failure) => {
  expect(failureOf(Object.assign(new Error('no'), { code }))).toBe(failure);
});

test.each([
  ['Connection acquisition timed out in 5000 ms. Pool status: Active conn count = 16, Idle conn count = 0.', 'crowded'],
  ['Pool is closed, it is no more able to serve requests.', 'broken'],
])('a failure without a code such as %j is %s', (message, failure) => {
  expect(failureOf(Object.assign(new Error(message), { code: 'N/A' }))).toBe(failure);
});

test('a time-out of a lock that should become exclusive is told by its text', () => {
  const message = 'Failed to upgrade shared lock to exclusive: SharedLock{owners=ForsetiClient[transactionId=1]}';
  const code = 'Neo.DatabaseError.General.UnknownError';
  expect(failureOf(Object.assign(new Error(message), { code }))).toBe('locked');
});

test.each([new Error('no'), null, undefined, 'text'])('a failure without a code is a bug: %s', (error) => {
  expect(failureOf(error)).toBe('broken');
});

/** An error as the driver throws it. */
const thrown = (code: string, message = 'no', cause?: Neo4jError) =>
  new Neo4jError(message, code, '50N42', `error: ${message}`, {} as never, cause);

describe('errors of the driver', () => {
  // Errors of a database whose disk is full and which waits for its operator.
  test.each([
    ['Neo.DatabaseError.Transaction.TransactionLogError', 'away'],
    ['Neo.DatabaseError.Transaction.TransactionCommitFailed', 'away'],
    ['Neo.DatabaseError.Transaction.TransactionStartFailed', 'away'],
    ['Neo.DatabaseError.General.UnknownError', 'broken'],
  ])('a failure with %s is %s', (code, failure) => {
    expect(failureOf(thrown(code))).toBe(failure);
  });

  // Errors of a cluster, as over bolt://, where the driver keeps the server's codes.
  test.each([
    ['Neo.ClientError.Cluster.NotALeader', 'away'],
    ['Neo.ClientError.Cluster.Routing', 'away'],
    ['Neo.TransientError.Cluster.ReplicationFailure', 'away'],
    ['Neo.TransientError.Transaction.LeaderSwitch', 'away'],
    ['Neo.TransientError.Transaction.LeaseExpired', 'away'],
    ['Neo.ClientError.General.ForbiddenOnReadOnlyDatabase', 'away'],
    ['Neo.ClientError.General.WriteOnReadOnlyAccessDatabase', 'away'],
    ['Neo.TransientError.General.DatabaseUnavailable', 'away'],
    ['Neo.ClientError.Database.DatabaseNotFound', 'away'],
    ['Neo.TransientError.Transaction.BookmarkTimeout', 'passing'],
    ['Neo.ClientError.Security.AuthorizationExpired', 'passing'],
    ['Neo.ClientError.Security.Unauthorized', 'broken'],
    ['Neo.ClientNotification.Cluster.ServerAlreadyEnabled', 'broken'],
    [driverErrors.SERVICE_UNAVAILABLE, 'away'],
    [driverErrors.SESSION_EXPIRED, 'away'],
    [driverErrors.PROTOCOL_ERROR, 'broken'],
  ])('a failure with %s is %s', (code, failure) => {
    expect(failureOf(thrown(code))).toBe(failure);
  });

  test('over neo4j:// a member that is no longer the leader is reported as an expired session', () => {
    const cause = thrown('Neo.ClientError.Cluster.NotALeader');
    const message = 'No longer possible to write to server at 10.0.0.1:7687';
    expect(failureOf(thrown(driverErrors.SESSION_EXPIRED, message, cause))).toBe('away');
  });
});
