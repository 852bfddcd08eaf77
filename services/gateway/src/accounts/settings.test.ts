import { readConfig } from '@taskgraph/runtime/config';
import { expect, it } from 'vitest';
import { configuration } from '../configuration.ts';
import { accountSettings } from './settings.ts';

const NEEDED = { NATS_URL: 'nats://127.0.0.1', TASKGRAPH_SECRET: 'a secret of this test' };
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'tasks@example.com' };
const CLIENT = { OIDC_CLIENT_ID: 'taskgraph', OIDC_CLIENT_SECRET: 'secret' };
const PUBLIC = { PUBLIC_URL: 'https://tasks.example.com/' };

const settings = (environment: Record<string, string>) =>
  accountSettings(readConfig(configuration, { ...NEEDED, ...environment }), { warn: () => undefined });

it('[AUTH1] nobody registers and there is no provider, unless configured; cookies go over HTTPS alone', () => {
  const secret = NEEDED.TASKGRAPH_SECRET;
  const cookies = { isSecure: true, publicOrigin: 'https://tasks.example.com' };
  const expected = { secret, sessionDays: 14, cookies, registration: null, openid: null };
  expect(settings({ ...MAIL, ...PUBLIC })).toEqual(expected);
  expect(settings({ COOKIE_SECURE: 'off', SESSION_DAYS: '1' })).toMatchObject({
    ...{ sessionDays: 1, cookies: { isSecure: false } },
  });
});

it('[AUTH1] takes what belongs together', () => {
  const { registration, openid } = settings({
    ...{ ...MAIL, ...PUBLIC, ...CLIENT },
    ...{ REGISTRATION: 'on', OIDC_ISSUER: 'https://id.example.com', OIDC_REGISTRATION: 'on' },
  });
  expect(registration).toMatchObject({ publicUrl: 'https://tasks.example.com' });
  expect(openid).toMatchObject({ mayRegister: true, returnUrl: 'https://tasks.example.com/' });
});

it.each([
  [{ REGISTRATION: 'on', ...MAIL }, 'PUBLIC_URL is needed'],
  [{ REGISTRATION: 'on', ...PUBLIC, MAIL_FROM: 'a@example.com' }, 'SMTP_URL is needed'],
  [{ REGISTRATION: 'on', ...PUBLIC, SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM is needed'],
  [{ OIDC_ISSUER: 'https://id.example.com', ...CLIENT }, 'PUBLIC_URL is needed'],
  [{ OIDC_ISSUER: 'https://id.example.com', ...PUBLIC, OIDC_CLIENT_ID: 'x' }, 'OIDC_CLIENT_SECRET is needed'],
  [{ OIDC_ISSUER: 'http://id.example.com', ...PUBLIC, ...CLIENT }, 'OIDC_ISSUER must be https'],
])('%j: %s', (environment, says) => {
  expect(() => settings(environment)).toThrow(says);
});
