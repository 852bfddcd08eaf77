// Opens a session for a user authenticated by a password, a provider or a sign-in link. Rules:
// AUTH1, AUTH2, AUTH4, AUTH5.
import { proveKey } from '@taskgraph/runtime/security/passwords';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import { type AccountPayload, sessionClaim } from '@taskgraph/wire/bus/account-messages';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { sessionCookie } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';
import { hashOf } from '../auth/token.ts';
import type { AskAccounts } from './account-client.ts';
import type { Devices } from './device.ts';
import type { RequestContext } from './route.ts';

const DAY_SECONDS = 24 * 60 * 60;

interface SessionOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
  readonly lifetimeDays: number;
  readonly cookies: CookieSettings;
  readonly devices: Devices;
}

/**
 * An open session: its body (AUTH2), and the cookies that store it in the browser and make the
 * device known.
 */
interface OpenedSession {
  readonly body: Record<string, unknown>;
  readonly cookies: readonly string[];
}

/**
 * A user, or the ticket of their sign-in link. `key` derives from the given password; a wrong one
 * refuses the session. It is null if a provider authenticated the user.
 */
type Authentication = { readonly userId: string; readonly key: Buffer | null } | { readonly ticket: string };

export type OpenSession = (by: Authentication, context: RequestContext) => Promise<OpenedSession | Refusal>;

export function createOpenSession({ ask, newId, lifetimeDays, cookies, devices }: SessionOptions): OpenSession {
  function open(by: Authentication, token: AccountPayload<'account:link'>['token'], context: RequestContext) {
    if ('ticket' in by) return ask('account:link', { ticket: by.ticket, token }, null, context);
    const { userId, key } = by;
    const proof = key === null ? null : proveKey(key, sessionClaim({ userId, token }));
    return ask('account:session', { userId, token, proof }, null, context);
  }

  return async (by, context) => {
    const session = newTokenText('session');
    const seconds = lifetimeDays * DAY_SECONDS;
    const expires = new Date(Date.now() + seconds * 1_000).toISOString();
    const token = { ...storedToken(session, newId), name: '', readOnly: false, expires };
    const opened = await open(by, token, context);
    if (isRefusal(opened)) return opened;
    const { id, email, username } = opened.user;
    context.identify({ id, email });
    context.note({ sessionId: token.id });
    return {
      body: { session, expires, user: { id, email, username } },
      cookies: [sessionCookie(session, seconds, context.host, cookies), devices.known(email, context)],
    };
  };
}

/** The stored part of a token's text. */
export function storedToken(
  text: string,
  newId: (slot: number) => string,
): { id: string; hash: string; prefix: string } {
  return { id: newId(0), hash: hashOf(text), prefix: shownPrefix(text) };
}
