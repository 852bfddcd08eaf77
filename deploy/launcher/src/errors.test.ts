import { expect, test } from 'vitest';
import { describeFailure, LauncherError } from './errors.ts';

test("a failure's text has the problem, the remedy and the last log lines", () => {
  const error = new LauncherError('neo4j died at start (exit code 1)', 'Its log is x.log:', ['one', 'two']);
  expect(describeFailure(error)).toBe(
    'error: neo4j died at start (exit code 1)\n  Its log is x.log:\n  | one\n  | two',
  );
});

test('a full disk is named for any failing write', () => {
  expect(describeFailure(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toContain('the disk is full');
});

test('a bug shows its stack trace', () => {
  expect(describeFailure(new Error('a bug'))).toContain('errors.test.ts');
});
