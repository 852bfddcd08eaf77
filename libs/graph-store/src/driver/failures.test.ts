import { expect, test } from 'vitest';
import { failureOf } from './failures.ts';

test.each([
  ['Neo.TransientError.Transaction.DeadlockDetected', 'passing'],
  ['Neo.TransientError.Transaction.LockAcquisitionTimeout', 'locked'],
  ['Neo.ClientError.Schema.ConstraintValidationFailed', 'duplicate'],
  ['Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists', 'duplicate'],
  ['Neo.ClientError.Schema.IndexAlreadyExists', 'duplicate'],
  ['Neo.ClientError.Schema.IndexWithNameAlreadyExists', 'broken'],
  // Neo4j calls this one transient, but the same again needs the same memory again.
  ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'too_large'],
  ['Neo.ClientError.Transaction.TransactionTimedOut', 'slow'],
  ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', 'slow'],
  ['ServiceUnavailable', 'away'],
  ['Neo.ClientError.Statement.SyntaxError', 'broken'],
])('what fails with %s is %s', (code, failure) => {
  expect(failureOf(Object.assign(new Error('no'), { code }))).toBe(failure);
});

test.each([
  ['Connection acquisition timed out in 5000 ms. Pool status: Active conn count = 16, Idle conn count = 0.', 'crowded'],
  ['Pool is closed, it is no more able to serve requests.', 'broken'],
])('what fails without a code as %j is %s', (message, failure) => {
  expect(failureOf(Object.assign(new Error(message), { code: 'N/A' }))).toBe(failure);
});

test.each([new Error('no'), null, undefined, 'text'])('what has no code is broken: %s', (error) => {
  expect(failureOf(error)).toBe('broken');
});
