import { expect, it } from 'vitest';
import { parsePacket } from './socket-call.ts';

const acknowledge = () => undefined;

it('[GEN8] extracts the idempotency key from the payload', () => {
  const call = parsePacket(['node:add', { title: 'a', idempotencyKey: 'k' }, acknowledge]);
  const payload = { value: { title: 'a' }, key: 'k' };
  expect(call).toEqual({ event: 'node:add', weight: 1, limits: ['socket'], acknowledge, payload });
});

it('[GEN4] refuses a payload that is missing, not an object, or one of two', () => {
  for (const payloads of [[], [null], ['text'], [5], [[]], [{}, {}]]) {
    expect(parsePacket(['node:add', ...payloads, acknowledge]).payload).toMatchObject({
      code: 'bad_request.invalid_body',
    });
  }
});

it('treats a field called __proto__ as a field, so that it is refused like any unknown one', () => {
  const { payload } = parsePacket(['node:add', JSON.parse('{"__proto__":{"admin":true}}'), acknowledge]);
  expect(Object.getOwnPropertyNames((payload as { value: object }).value)).toEqual(['__proto__']);
});

it('[WIRE1] reports a missing ack, and bounds the name of an event', () => {
  expect(parsePacket(['node:add', {}]).acknowledge).toBeNull();
  expect(parsePacket(['x'.repeat(5_000), {}, acknowledge]).event).toHaveLength(100);
  expect(parsePacket([5, {}, acknowledge]).event).toBe('5');
});
