// Signing in and out by password, who one is, and another password. Rules: AUTH1, AUTH2.
import { anyEmail } from '@taskgraph/wire/accounts';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
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

/** Wrong e-mail, wrong password and disabled user are one answer. */
const wrongLogin = refuse('unauthorized', 'E-mail or password is wrong.');

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
      // A password is always checked, so that the time tells nothing about the e-mail.
      const isRight = await passwords.isRight(account?.passwordHash ?? null, password);
      if (isRefusal(isRight)) return isRight;
      if (!isRight || account === null || account.disabled) return wrongLogin;
      const opened = await openSession({ userId: account.id, passwordHash: account.passwordHash }, circumstances);
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
      return isRefusal(ended) ? ended : { body: {}, headers: { 'Set-Cookie': sessionCookie('', 0, cookies) } };
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
      const before = found.account?.passwordHash ?? null;
      const isRight = await passwords.isRight(before, current);
      if (isRefusal(isRight)) return isRight;
      if (!isRight || before === null) return refuse('forbidden.wrong_password', 'The current password is wrong.');
      const after = await passwords.hash(wanted);
      if (isRefusal(after)) return after;
      const set = await ask('account:password', { before, after, keep: token.id }, user, circumstances);
      return isRefusal(set) ? set : { body: {} };
    },
  );

  return [login, logout, me, password];
}
