import { CALLS } from '@taskgraph/wire/calls/calls';
import { expect, test } from 'vitest';
import { isRead } from './calls.ts';

test('reads are the calls that the service declares as such', () => {
  const calls = Object.values(CALLS);
  expect(calls.filter(({ event }) => isRead(event))).toEqual(calls.filter(({ kind }) => kind === 'read'));
  expect(isRead('constructor')).toBe(false);
});
