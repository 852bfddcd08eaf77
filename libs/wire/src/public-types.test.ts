import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { CALLS, CallName } from './calls/calls.ts';
import type { PUSHES, PushName } from './calls/pushes.ts';
import type { CallTypes, PushTypes } from './public-types.ts';

// The compiler tests this, for all calls at once.
test('answers and pushes are those that the schemas say, and schemas take each payload', () => {
  type Answers = { [E in CallName]: z.output<(typeof CALLS)[E]['answer']> };
  expectTypeOf<{ [E in CallName]: CallTypes[E]['answer'] }>().toEqualTypeOf<Answers>();
  type Pushes = { [N in PushName]: z.output<(typeof PUSHES)[N]['payload']> };
  expectTypeOf<PushTypes>().toEqualTypeOf<Pushes>();
  type Taken = { [E in Exclude<CallName, 'branch:get'>]: z.input<(typeof CALLS)[E]['payload']> };
  expectTypeOf<{ [E in Exclude<CallName, 'branch:get'>]: CallTypes[E]['payload'] }>().toExtend<Taken>();
});
