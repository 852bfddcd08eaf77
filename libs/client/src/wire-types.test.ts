import type { ErrorCode as Declared } from '@taskgraph/wire/error-codes';
import { type EventName, type OPERATIONS, socketOperations } from '@taskgraph/wire/operations/operations';
import type { PUSHES, PushName } from '@taskgraph/wire/operations/pushes';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { type CallTypes, type ErrorCode, type PushTypes, READS } from './wire-types.ts';

test('reads are the calls that the service declares as such', () => {
  const declared = socketOperations.filter(({ kind }) => kind === 'read');
  expect([...READS]).toEqual(declared.map(({ name }) => name));
});

// The compiler does the rest, for all calls at once.
test('answers, pushes and codes are those that the schemas say, and schemas take each payload', () => {
  type Answers = { [E in EventName]: z.output<(typeof OPERATIONS)[E]['answer']> };
  expectTypeOf<{ [E in EventName]: CallTypes[E]['answer'] }>().toEqualTypeOf<Answers>();
  type Pushes = { [N in PushName]: z.output<(typeof PUSHES)[N]['payload']> };
  expectTypeOf<PushTypes>().toEqualTypeOf<Pushes>();
  expectTypeOf<ErrorCode>().toEqualTypeOf<Declared>();
  type Taken = { [E in Exclude<EventName, 'branch:get'>]: z.input<(typeof OPERATIONS)[E]['payload']> };
  expectTypeOf<{ [E in Exclude<EventName, 'branch:get'>]: CallTypes[E]['payload'] }>().toExtend<Taken>();
});
