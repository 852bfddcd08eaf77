// The routes that sign in by password or by a link, sign out, show the user, and change the
// password. Rules: AUTH1, AUTH2, AUTH4, AUTH5.
import { proveKey } from '@taskgraph/runtime/security/passwords';
import { reachableEmail } from '@taskgraph/wire/account-fields';
import { passwordClaim } from '@taskgraph/wire/bus/account-messages';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { sessionCookie } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';
import type { BackOff } from '../limits/back-off.ts';
import type { AskAccounts } from './account-client.ts';
import type { Devices } from './device.ts';
import type { Passwords } from './passwords.ts';
import { type AccountRoute, authenticatedRoute, publicRoute } from './route.ts';
import type { OpenSession } from './session.ts';

interface SignInRoutesOptions {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly openSession: OpenSession;
  readonly cookies: CookieSettings;
  readonly newId: (slot: number) => string;
  readonly devices: Devices;
  readonly backOff: BackOff;
}

/** The refusals that mean a wrong password; others say nothing about it. */
const WRONG = ['unauthorized', 'forbidden.wrong_password'];

export function signInRoutes(options: SignInRoutesOptions): readonly AccountRoute[] {
  const { ask, passwords, openSession, cookies, newId, devices, backOff } = options;

  /** Runs an attempt at a password, if the subject's failures allow it. */
  async function attempt<T extends object>(subject: string, work: () => Promise<T | Refusal>): Promise<T | Refusal> {
    const refused = await backOff.begin(subject);
    if (refused !== null) return refused;
    let outcome: 'right' | 'wrong' | 'not_tried' = 'not_tried';
    try {
      const done = await work();
      if (!isRefusal(done)) outcome = 'right';
      else if (WRONG.includes(done.code)) outcome = 'wrong';
      return done;
    } finally {
      await backOff.end(subject, outcome);
    }
  }

  const login = publicRoute({ name: 'login', audited: 'sign-in' }, async ({ email, password }, context) => {
    // People type passwords into the wrong field, so the log gets only valid e-mails.
    const shown = reachableEmail.safeParse(email).success ? { email } : {};
    context.note({ by: 'password', ...shown });
    const opened = await attempt(`login ${devices.shareOf(email, context)}`, async () => {
      const found = await ask('account:find', { email }, null, context);
      if (isRefusal(found)) return found;
      const { account } = found;
      if (account !== null) context.note({ userId: account.id });
      // Always hashes and requests a session, so that the time shows nothing about the e-mail. The
      // worker gives the same refusal for a wrong e-mail, a wrong password and a disabled user.
      const isKnown = devices.isKnown(email, context);
      const key = await passwords.key(account?.salt ?? null, password, isKnown);
      return isRefusal(key) ? key : openSession({ userId: account?.id ?? newId(0), key }, context);
    });
    return isRefusal(opened) ? opened : { body: opened.body, headers: { 'Set-Cookie': opened.cookies } };
  });

  const link = publicRoute({ name: 'login:link', audited: 'sign-in' }, async ({ token }, context) => {
    context.note({ by: 'link' });
    const opened = await openSession({ ticket: token }, context);
    if (isRefusal(opened)) return opened;
    return { body: opened.body, headers: { 'Set-Cookie': opened.cookies } };
  });

  const logout = authenticatedRoute(
    { name: 'logout', audited: 'sign-out' },
    async (_payload, { user, token }, context) => {
      context.note({ sessionId: token.id });
      const ended = await ask('account:logout', { id: token.id, request: newId(0) }, user, context);
      return isRefusal(ended)
        ? ended
        : { body: {}, headers: { 'Set-Cookie': sessionCookie('', 0, context.host, cookies) } };
    },
  );

  const me = authenticatedRoute({ name: 'me' }, async (_payload, { user }, context) => {
    const found = await ask('account:me', {}, user, context);
    return isRefusal(found) ? found : { body: found };
  });

  const password = authenticatedRoute(
    { name: 'password', audited: 'password:change' },
    async ({ current, password: wanted, endTokens = false }, { user, token }, context) => {
      context.note({ endTokens });
      const after = await passwords.hash(wanted, [user.email, user.username]);
      if (isRefusal(after)) return after;
      // Counted apart from sign-ins: the thief of a session must not lock out its user by guessing.
      const set = await attempt(`password of ${user.id}`, async () => {
        const found = await ask('account:find', { email: user.email }, null, context);
        if (isRefusal(found)) return found;
        const key = await passwords.key(found.account?.salt ?? null, current, true);
        if (isRefusal(key)) return key;
        const keep = token.id;
        const proof = proveKey(key, passwordClaim({ userId: user.id, keep, after }));
        return ask('account:password', { proof, after, keep, endTokens, caller: token.id }, user, context);
      });
      return isRefusal(set) ? set : { body: {} };
    },
  );

  return [login, link, logout, me, password];
}
