import { CALLS, type CallName } from '@taskgraph/wire/calls/calls';
import type { PUSHES, PushName } from '@taskgraph/wire/calls/pushes';
import type { ErrorCode as Declared } from '@taskgraph/wire/error-codes';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { type CallTypes, type ErrorCode, type PushTypes, READS } from './wire-types.ts';

test('reads are the calls that the service declares as such', () => {
  const declared = Object.values(CALLS).filter(({ kind }) => kind === 'read');
  expect([...READS]).toEqual(declared.map(({ event }) => event));
});

// The compiler does the rest, for all calls at once.
test('answers, pushes and codes are those that the schemas say, and schemas take each payload', () => {
  type Answers = { [E in CallName]: z.output<(typeof CALLS)[E]['answer']> };
  expectTypeOf<{ [E in CallName]: CallTypes[E]['answer'] }>().toEqualTypeOf<Answers>();
  type Pushes = { [N in PushName]: z.output<(typeof PUSHES)[N]['payload']> };
  expectTypeOf<PushTypes>().toEqualTypeOf<Pushes>();
  expectTypeOf<ErrorCode>().toEqualTypeOf<Declared>();
  type Taken = { [E in Exclude<CallName, 'branch:get'>]: z.input<(typeof CALLS)[E]['payload']> };
  expectTypeOf<{ [E in Exclude<CallName, 'branch:get'>]: CallTypes[E]['payload'] }>().toExtend<Taken>();
});
