import { readConfig } from '@taskgraph/runtime/service/config';
import { expect, it } from 'vitest';
import { configuration } from '../configuration.ts';
import { accountSettings } from './settings.ts';

const NEEDED = { NATS_URL: 'nats://127.0.0.1', TASKGRAPH_SECRET: 'a secret of this test' };
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'tasks@example.com' };
const CLIENT = { OIDC_CLIENT_ID: 'taskgraph', OIDC_CLIENT_SECRET: 'secret' };
const PUBLIC = { PUBLIC_URL: 'https://tasks.example.com/' };

const settings = (environment: Record<string, string>) =>
  accountSettings(readConfig(configuration, { ...NEEDED, ...environment }), { warn: () => undefined });

it('[AUTH1] by default there is no registration and no provider, and cookies require HTTPS', () => {
  const cookies = { isSecure: true, publicOrigin: 'https://tasks.example.com' };
  const fixed = { sessionDays: 14, cookies, secret: ['a secret of this test'], openid: null };
  const publicUrl = 'https://tasks.example.com';
  expect(settings(PUBLIC)).toEqual({ ...fixed, publicUrl, mailing: null, mayRegister: false });
  expect(settings({ ...MAIL, ...PUBLIC })).toMatchObject({ mailing: {}, mayRegister: false });
  expect(settings({ COOKIE_SECURE: 'off', SESSION_DAYS: '1' })).toMatchObject({
    sessionDays: 1,
    cookies: { isSecure: false },
    publicUrl: null,
  });
});

it('[AUTH1] accepts complete groups of settings', () => {
  const { mailing, mayRegister, openid } = settings({
    ...MAIL,
    ...PUBLIC,
    ...CLIENT,
    REGISTRATION: 'on',
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_REGISTRATION: 'on',
  });
  expect(mailing).toMatchObject({ publicUrl: 'https://tasks.example.com' });
  expect(mayRegister).toBe(true);
  expect(openid).toMatchObject({ mayRegister: true, returnUrl: 'https://tasks.example.com/' });
});

it.each([
  [{ REGISTRATION: 'on', ...MAIL }, 'PUBLIC_URL is needed'],
  [{ REGISTRATION: 'on', ...PUBLIC, MAIL_FROM: 'a@example.com' }, 'SMTP_URL is needed'],
  [{ REGISTRATION: 'on', ...PUBLIC, SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM is needed'],
  [MAIL, 'PUBLIC_URL is needed'],
  [{ OIDC_ISSUER: 'https://id.example.com', ...CLIENT }, 'PUBLIC_URL is needed'],
  [{ OIDC_ISSUER: 'https://id.example.com', ...PUBLIC, OIDC_CLIENT_ID: 'x' }, 'OIDC_CLIENT_SECRET is needed'],
  [{ OIDC_ISSUER: 'http://id.example.com', ...PUBLIC, ...CLIENT }, 'OIDC_ISSUER must be https'],
])('%j: %s', (environment, message) => {
  expect(() => settings(environment)).toThrow(message);
});
