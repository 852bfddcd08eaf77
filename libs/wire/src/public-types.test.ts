import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { EventName, OPERATIONS } from './operations/operations.ts';
import type { PUSHES, PushName } from './operations/pushes.ts';
import type { CallTypes, PushTypes } from './public-types.ts';

// The compiler tests this for all calls.
test('the types of answers and pushes are those of their schemas, and schemas accept each payload', () => {
  type Answers = { [E in EventName]: z.output<(typeof OPERATIONS)[E]['answer']> };
  expectTypeOf<{ [E in EventName]: CallTypes[E]['answer'] }>().toEqualTypeOf<Answers>();
  type Pushes = { [N in PushName]: z.output<(typeof PUSHES)[N]['payload']> };
  expectTypeOf<PushTypes>().toEqualTypeOf<Pushes>();
  type Taken = { [E in Exclude<EventName, 'branch:get'>]: z.input<(typeof OPERATIONS)[E]['payload']> };
  expectTypeOf<{ [E in Exclude<EventName, 'branch:get'>]: CallTypes[E]['payload'] }>().toExtend<Taken>();
});
