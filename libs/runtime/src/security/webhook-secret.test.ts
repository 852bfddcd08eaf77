import { expect, test } from 'vitest';
import { newWebhookSecret, openWebhookSecret, sealWebhookSecret } from './webhook-secret.ts';

const [KEY, NEXT] = ['a secret of this test', 'the next secret of it'];

test('[HOOK11] a secret has 32 random bytes, and is sealed for its webhook', () => {
  const secret = newWebhookSecret();
  expect(secret).not.toBe(newWebhookSecret());
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  const sealed = sealWebhookSecret(KEY, 'hook', secret);
  expect(sealed).not.toContain(secret.slice(6, 20));
  expect(openWebhookSecret(KEY, 'hook', sealed)).toBe(secret);
  expect(openWebhookSecret(KEY, 'other', sealed)).toBe(null);
});

test('[HOOK11] it can be read as long as the key that sealed it is known', () => {
  const secret = newWebhookSecret();
  const sealed = sealWebhookSecret(KEY, 'hook', secret);
  expect(openWebhookSecret([NEXT, KEY], 'hook', sealed)).toBe(secret);
  expect(openWebhookSecret(NEXT, 'hook', sealed)).toBe(null);
});
