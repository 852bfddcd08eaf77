// The routes for sign-in by an OpenID Connect provider: the redirect to it, and the callback.
// Rules: AUTH1, ACL4.
import { randomSlot } from '@taskgraph/runtime/ids';
import { type Secrets, signText, verifyText } from '@taskgraph/runtime/security/signed-text';
import { reachableEmail, username } from '@taskgraph/wire/account-fields';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { z } from 'zod';
import { cookieHeader, cookieName, cookieNamed } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';
import type { AskAccounts } from './account-client.ts';
import type { Checks, Provider } from './provider.ts';
import { type AccountRoute, publicRoute, type RequestContext } from './route.ts';
import type { OpenSession } from './session.ts';

const COOKIE = 'taskgraph_sign_in';
/** How long a person may take at the provider. */
const AWAY_SECONDS = 600;
/** The path of the callback. */
export const CALLBACK_PATH = OPERATIONS['oidc:callback'].transports.rest.path;

export interface OpenidSettings {
  /** The provider's name for people. */
  readonly name: string;
  readonly provider: Provider;
  /** Signs the state that the browser stores meanwhile. */
  readonly secret: Secrets;
  /** Whether every person known to the provider gets an account. */
  readonly mayRegister: boolean;
  /** The address of the redirect after the sign-in. */
  readonly returnUrl: string;
}

interface OpenidOptions {
  readonly ask: AskAccounts;
  readonly openSession: OpenSession;
  readonly newId: (slot: number) => string;
  readonly cookies: CookieSettings;
  /** Null without a provider. */
  readonly settings: OpenidSettings | null;
}

const noProvider = refuse('not_found', 'No provider is configured here.');
const brokenWayBack = refuse('unauthorized', 'This sign-in did not start here, or started too long ago; start again.');

export function openidRoutes({ ask, openSession, newId, cookies, settings }: OpenidOptions): readonly AccountRoute[] {
  const cookie = (value: string, seconds: number, { host }: RequestContext) =>
    cookieHeader({ name: COOKIE, value, seconds }, host, cookies);

  const login = publicRoute({ name: 'oidc:login' }, async (_payload, context) => {
    if (settings === null) return noProvider;
    const begun = await settings.provider.begin();
    if (isRefusal(begun)) return begun;
    const state = { ...begun.checks, expires: Date.now() + AWAY_SECONDS * 1_000 };
    const signed = signText(settings.secret, 'sign-in', Buffer.from(JSON.stringify(state)));
    const headers = { Location: begun.url, 'Set-Cookie': cookie(signed, AWAY_SECONDS, context) };
    return { status: 302, body: {}, headers };
  });

  const callback = publicRoute({ name: 'oidc:callback', audited: 'sign-in' }, async (_payload, context) => {
    context.note({ by: 'provider' });
    if (settings === null) return noProvider;
    const checks = checksOf(settings.secret, context, cookies);
    if (checks === null) return brokenWayBack;
    const claims = await settings.provider.finish(context.query, checks);
    if (isRefusal(claims)) return claims;
    const email = verifiedEmail(claims.email, claims.emailVerified);
    if (isRefusal(email)) return email;
    context.note({ email });
    const user = {
      // A random slot spreads owners over the partitions.
      id: newId(randomSlot()),
      issuer: claims.issuer,
      subject: claims.subject,
      email,
      username: usernameOf(claims.names, email),
      mayRegister: settings.mayRegister,
    };
    const found = await ask('account:vouch', user, null, context);
    if (isRefusal(found)) return found;
    const opened = await openSession({ userId: found.user.id, key: null }, context);
    if (isRefusal(opened)) return opened;
    const headers = { Location: settings.returnUrl, 'Set-Cookie': [...opened.cookies, cookie('', 0, context)] };
    return { status: 303, body: {}, headers };
  });

  return [login, callback];
}

const keptChecks = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string(), expires: z.number() });

/**
 * The callback must come from the browser that began the sign-in: else an attacker could sign a
 * person in as another user.
 */
function checksOf(secret: Secrets, { cookie, host }: RequestContext, settings: CookieSettings): Checks | null {
  const content = verifyText(secret, 'sign-in', cookieNamed(cookieName(COOKIE, host, settings), cookie) ?? '');
  if (content === null) return null;
  const { expires, ...checks } = keptChecks.parse(JSON.parse(content.toString('utf8')));
  return expires > Date.now() ? checks : null;
}

/** An e-mail receives grants, so the provider must have verified it. */
function verifiedEmail(email: unknown, isVerified: unknown): string | Refusal {
  const parsed = reachableEmail.safeParse(email);
  // Some providers send the boolean as text.
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
