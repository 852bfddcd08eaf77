// Opens a session for a user authenticated by a password or a provider. Rules: AUTH1, AUTH2, AUTH4.
import { proveKey } from '@taskgraph/runtime/security/passwords';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import { sessionClaim } from '@taskgraph/wire/bus/account-messages';
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
 * `key` derives from the given password; a wrong one refuses the session. It is null if a provider
 * authenticated the user.
 */
export type OpenSession = (
  user: { readonly userId: string; readonly key: Buffer | null },
  context: RequestContext,
) => Promise<OpenedSession | Refusal>;

export function createOpenSession({ ask, newId, lifetimeDays, cookies, devices }: SessionOptions): OpenSession {
  return async ({ userId, key }, context) => {
    const session = newTokenText('session');
    const seconds = lifetimeDays * DAY_SECONDS;
    const expires = new Date(Date.now() + seconds * 1_000).toISOString();
    const token = { ...storedToken(session, newId), name: '', readOnly: false, expires };
    const proof = key === null ? null : proveKey(key, sessionClaim({ userId, token }));
    const opened = await ask('account:session', { userId, token, proof }, null, context);
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
