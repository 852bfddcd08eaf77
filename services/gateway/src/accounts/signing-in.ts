// Signing in and out by password, who one is, and another password. Rules: AUTH1, AUTH2.
import { proveKey } from '@taskgraph/runtime/passwords';
import { anyEmail, passwordClaim } from '@taskgraph/wire/accounts';
import { isRefusal } from '@taskgraph/wire/errors';
import { z } from 'zod';
import { type CookieSettings, sessionCookie } from '../credential.ts';
import type { AskAccounts } from './asking.ts';
import { givenPassword, newPassword, type Passwords } from './passwords.ts';
import { type AccountRoute, openRoute, ownRoute } from './route.ts';
import type { OpenSession } from './session.ts';

interface Options {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly openSession: OpenSession;
  readonly cookies: CookieSettings;
  readonly newId: (slot: number) => string;
}

const nothing = z.strictObject({});

export function signingIn({ ask, passwords, openSession, cookies, newId }: Options): readonly AccountRoute[] {
  const login = openRoute(
    {
      name: 'login',
      rest: { method: 'POST', path: '/api/login' },
      payload: z.strictObject({ email: anyEmail, password: givenPassword }),
    },
    async ({ email, password }, circumstances) => {
      const found = await ask('account:find', { email }, null, circumstances);
      if (isRefusal(found)) return found;
      const { account } = found;
      // A password is always hashed, and a session asked for, so that the time tells nothing about the e-mail. The worker judges: it says
      // the same for a wrong e-mail, a wrong password and a disabled user.
      const key = await passwords.key(account?.salt ?? null, password);
      if (isRefusal(key)) return key;
      const opened = await openSession({ userId: account?.id ?? newId(0), key }, circumstances);
      return isRefusal(opened) ? opened : { body: opened.body, headers: { 'Set-Cookie': opened.cookie } };
    },
  );

  const logout = ownRoute(
    {
      name: 'logout',
      rest: { method: 'POST', path: '/api/logout' },
      ...{ caller: 'session', changes: true, payload: nothing },
    },
    async (_payload, { user, token }, circumstances) => {
      const ended = await ask('account:logout', { id: token.id, request: newId(0) }, user, circumstances);
      return isRefusal(ended)
        ? ended
        : { body: {}, headers: { 'Set-Cookie': sessionCookie('', 0, circumstances.host, cookies) } };
    },
  );

  const me = ownRoute(
    { name: 'me', rest: { method: 'GET', path: '/api/me' }, caller: 'token', payload: nothing },
    async (_payload, { user }, circumstances) => {
      const found = await ask('account:me', {}, user, circumstances);
      return isRefusal(found) ? found : { body: found };
    },
  );

  const password = ownRoute(
    {
      name: 'password',
      rest: { method: 'PUT', path: '/api/password' },
      ...{ caller: 'session', changes: true },
      payload: z.strictObject({ current: givenPassword, password: newPassword }),
    },
    async ({ current, password: wanted }, { user, token }, circumstances) => {
      const found = await ask('account:find', { email: user.email }, null, circumstances);
      if (isRefusal(found)) return found;
      const key = await passwords.key(found.account?.salt ?? null, current);
      if (isRefusal(key)) return key;
      const after = await passwords.hash(wanted);
      if (isRefusal(after)) return after;
      const keep = token.id;
      const proof = proveKey(key, passwordClaim({ userId: user.id, keep, after }));
      const set = await ask('account:password', { proof, after, keep }, user, circumstances);
      return isRefusal(set) ? set : { body: {} };
    },
  );

  return [login, logout, me, password];
}
