// Signing in by an OpenID Connect provider: to it, and back. Rules: AUTH1, ACL4.
import { randomSlot } from '@taskgraph/runtime/ids';
import { type Secrets, signText, verifyText } from '@taskgraph/runtime/security/signed-text';
import { reachableEmail, username } from '@taskgraph/wire/accounts';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { z } from 'zod';
import { cookieHeader, cookieName, cookieNamed } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';
import type { AskAccounts } from './asking.ts';
import type { Checks, Provider } from './provider.ts';
import { type AccountRoute, type Circumstances, openRoute } from './route.ts';
import type { OpenSession } from './session.ts';

const COOKIE = 'taskgraph_sign_in';
/** How long somebody may take at the provider. */
const AWAY_SECONDS = 600;
/** Where the provider sends people back to, below the public address. */
export const CALLBACK_PATH = OPERATIONS['oidc:callback'].transports.rest.path;

/** The needs of signing in by a provider. */
export interface OpenidSettings {
  readonly provider: Provider;
  /** Signs what a browser keeps meanwhile. */
  readonly secret: Secrets;
  /** Whether whoever the provider knows gets an account. */
  readonly mayRegister: boolean;
  /** Where people are sent when they are signed in. */
  readonly returnUrl: string;
}

interface Options {
  readonly ask: AskAccounts;
  readonly openSession: OpenSession;
  readonly newId: (slot: number) => string;
  readonly cookies: CookieSettings;
  /** Null where there is no provider. */
  readonly settings: OpenidSettings | null;
}

const noProvider = refuse('not_found', 'No provider is configured here.');
const brokenWayBack = refuse('unauthorized', 'This sign-in did not start here, or started too long ago; start again.');

export function openid({ ask, openSession, newId, cookies, settings }: Options): readonly AccountRoute[] {
  const cookie = (value: string, seconds: number, { host }: Circumstances) =>
    cookieHeader({ name: COOKIE, value, seconds }, host, cookies);

  const login = openRoute({ name: 'oidc:login' }, async (_payload, circumstances) => {
    if (settings === null) return noProvider;
    const begun = await settings.provider.begin();
    if (isRefusal(begun)) return begun;
    const kept = { ...begun.checks, expires: Date.now() + AWAY_SECONDS * 1_000 };
    const signed = signText(settings.secret, 'sign-in', Buffer.from(JSON.stringify(kept)));
    const headers = { Location: begun.url, 'Set-Cookie': cookie(signed, AWAY_SECONDS, circumstances) };
    return { status: 302, body: {}, headers };
  });

  const callback = openRoute({ name: 'oidc:callback', audited: 'sign-in' }, async (_payload, circumstances) => {
    circumstances.note({ by: 'provider' });
    if (settings === null) return noProvider;
    const checks = checksOf(settings.secret, circumstances, cookies);
    if (checks === null) return brokenWayBack;
    const claims = await settings.provider.finish(circumstances.query, checks);
    if (isRefusal(claims)) return claims;
    const email = verifiedEmail(claims.email, claims.emailVerified);
    if (isRefusal(email)) return email;
    circumstances.note({ email });
    const user = {
      // A user's slot is drawn at random: it spreads owners over the partitions.
      id: newId(randomSlot()),
      ...{ issuer: claims.issuer, subject: claims.subject, email },
      ...{ username: usernameOf(claims.names, email), mayRegister: settings.mayRegister },
    };
    const found = await ask('account:vouch', user, null, circumstances);
    if (isRefusal(found)) return found;
    const opened = await openSession({ userId: found.user.id, key: null }, circumstances);
    if (isRefusal(opened)) return opened;
    const headers = { Location: settings.returnUrl, 'Set-Cookie': [...opened.cookies, cookie('', 0, circumstances)] };
    return { status: 303, body: {}, headers };
  });

  return [login, callback];
}

const keptChecks = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), expires: z.number() });

/** The browser that comes back must be the one that was sent: else somebody could be signed in as another. */
function checksOf(secret: Secrets, { cookie, host }: Circumstances, settings: CookieSettings): Checks | null {
  const content = verifyText(secret, 'sign-in', cookieNamed(cookieName(COOKIE, host, settings), cookie) ?? '');
  if (content === null) return null;
  const { expires, ...checks } = keptChecks.parse(JSON.parse(content.toString('utf8')));
  return expires > Date.now() ? checks : null;
}

/** An e-mail gives access to what waits for it, so that the provider has to say that it is theirs. */
function verifiedEmail(email: unknown, isVerified: unknown): string | Refusal {
  const parsed = reachableEmail.safeParse(email);
  // Some providers write the boolean as text.
  if (parsed.success && (isVerified === true || isVerified === 'true')) return parsed.data;
  return refuse('forbidden.email_unverified', 'The provider does not report this e-mail address as verified.');
}

function usernameOf(names: readonly unknown[], email: string): string {
  for (const name of names) {
    const parsed = username.safeParse(name);
    if (parsed.success) return parsed.data;
  }
  return (email.split('@')[0] ?? email).slice(0, 100);
}
