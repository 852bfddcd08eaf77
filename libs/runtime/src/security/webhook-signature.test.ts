import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { WEBHOOK_SECRET_PREFIX, webhookHeaders } from './webhook-signature.ts';

const secret = () => WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64');
const content = () => ({ id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000), body: '{"title":"Grün ✓"}' });

test('[HOOK4] the library of Standard Webhooks makes the same signature, and accepts it', () => {
  const [key, message] = [secret(), content()];
  const headers = webhookHeaders(message, [key]);
  const time = new Date(message.timestamp * 1_000);
  expect(headers['webhook-signature']).toBe(new Webhook(key).sign(message.id, time, message.body));
  expect(new Webhook(key).verify(message.body, headers)).toEqual({ title: 'Grün ✓' });
});

test('[HOOK11] during a rotation a message is valid for both secrets, and for no other', () => {
  const [former, present, message] = [secret(), secret(), content()];
  const headers = webhookHeaders(message, [present, former]);
  for (const key of [former, present]) expect(new Webhook(key).verify(message.body, headers)).toBeDefined();
  expect(() => new Webhook(secret()).verify(message.body, headers)).toThrow('No matching signature');
});

test('[HOOK4] the example of the specification has its signature', () => {
  const headers = webhookHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
