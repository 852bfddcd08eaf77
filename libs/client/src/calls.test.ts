import { socketOperations } from '@taskgraph/wire/operations/operations';
import { expect, test } from 'vitest';
import { isRead } from './calls.ts';

test('reads are the calls that the service declares as reads', () => {
  const declared = socketOperations.filter(({ kind }) => kind === 'read');
  expect(socketOperations.filter(({ name }) => isRead(name))).toEqual(declared);
  expect(isRead('constructor')).toBe(false);
});
