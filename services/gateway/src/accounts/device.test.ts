// The cookie that marks a browser as known, and the information that it reveals. Rules: AUTH1,
// AUTH4.
import { createHash } from 'node:crypto';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { expect, test } from 'vitest';
import { createDevices } from './device.ts';

const [OLD, NEW] = ['the secret from before', 'the secret of these days'];
const HOST = 'tasks.example.com';
const EVE = 'eve@example.com';

const devicesOf = (secret: Secrets) =>
  createDevices({ secret, newId: () => '01890000-0000-7000-8000-000000000001', cookies: { isSecure: true } });

/** Signs in, by a browser that has this cookie, and gives the cookie that it has from then on. */
const signIn = (email: string, cookie = '', secret: Secrets = NEW) =>
  devicesOf(secret).known(email, { cookie, host: HOST }).split(';')[0] as string;

const isKnown = (email: string, cookie: string, secret: Secrets = NEW) =>
  devicesOf(secret).isKnown(email, { cookie, host: HOST });

test('[AUTH4] a browser is known for the accounts that have signed in on it, in any spelling, and for no others', () => {
  const cookie = signIn('fay@example.com', signIn(EVE));
  expect([EVE, ' Eve@Example.com', 'fay@example.com', 'dan@example.com'].map((each) => isKnown(each, cookie))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('[AUTH4] the next user of a browser cannot find out earlier accounts, even by trying e-mails', () => {
  const [, value = ''] = signIn(EVE).split('=');
  const [content = ''] = value.split('.');
  const read = Buffer.from(content, 'base64url').toString();
  expect(read).toContain('accounts');
  for (const algorithm of ['sha256', 'sha512', 'sha1', 'md5']) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(read).not.toContain(createHash(algorithm).update(EVE).digest(encoding));
    }
  }
  expect(read).not.toContain(EVE);
});

test('[AUTH4] during a change of the secret, a browser stays known, and counts an account once', () => {
  const both = [NEW, OLD] as const;
  const old = signIn(EVE, '', OLD);
  expect([isKnown(EVE, old, both), isKnown(EVE, old, NEW)]).toEqual([true, false]);
  const renewed = signIn(EVE, old, both);
  expect(isKnown(EVE, renewed, NEW)).toBe(true);
  const [, content = ''] = /=([^.]*)/.exec(renewed) ?? [];
  expect(JSON.parse(Buffer.from(content, 'base64url').toString()).accounts).toHaveLength(1);
});
