import { expect, test } from 'vitest';
import { missingMessages } from './hanging-hooks.ts';

const ALL = { ping: 1, message: 1, 'prompt message': 1 };

test('an attack on webhooks without messages is invalid, unless it was short', () => {
  expect(missingMessages(ALL, 180_000)).toEqual([]);
  expect(missingMessages({}, 10_000)).toEqual([]);
  expect(missingMessages({ 'change 200': 9 }, 180_000)).toEqual([
    'no ping came',
    'no message came',
    'no prompt message came',
  ]);
  expect(missingMessages({ ...ALL, message: 0 }, 180_000)).toEqual(['no message came']);
});
