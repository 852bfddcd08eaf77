// How a caller says who they are: by a token in a header, or, in a browser, by the cookie of a session. Rules: AUTH1, AUTH3.
import { hasSessionShape } from '@taskgraph/runtime/tokens';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { bearerToken } from './token.ts';

/** The name of the cookie that holds a session's token. */
const SESSION_COOKIE = 'taskgraph_session';

/** A token as it came; null where none did. */
interface Credential {
  readonly token: string | null;
  /** Browsers send cookies by themselves, also for pages that have nothing to do with us. */
  readonly isCookie: boolean;
}

/** Headers count as missing where they are empty. An Authorization header, right or wrong, comes before the cookie. */
export function credentialOf(authorization: string | undefined, cookie: string | undefined): Credential {
  if (authorization !== undefined && authorization !== '') {
    return { token: bearerToken(authorization), isCookie: false };
  }
  const token = cookieNamed(SESSION_COOKIE, cookie);
  // Other tokens are for programs: what a browser sends by itself must be a session, which ends and can be ended.
  return token !== null && hasSessionShape(token) ? { token, isCookie: true } : { token: null, isCookie: false };
}

/** The value of a cookie, or null. */
export function cookieNamed(name: string, header: string | undefined): string | null {
  for (const pair of (header ?? '').split(';')) {
    const end = pair.indexOf('=');
    if (end >= 0 && pair.slice(0, end).trim() === name) return pair.slice(end + 1).trim();
  }
  return null;
}

/**
 * Refuses what changes something by a cookie, unless the browser says that one of our pages asks. Origins that are named were judged before;
 * `site` is the header Sec-Fetch-Site.
 */
export function refuseForgery(origin: string | undefined, site: string | undefined): Refusal | null {
  if ((origin !== undefined && origin !== '') || site === 'same-origin') return null;
  return refuse('forbidden.origin', 'With a cookie, a request must say which page it comes from.');
}

/** How cookies are set. */
export interface CookieSettings {
  /** Whether browsers send it over TLS alone. */
  readonly isSecure: boolean;
}

/** The header that gives a browser its session; an empty token takes it away. */
export function sessionCookie(token: string, seconds: number, settings: CookieSettings): string {
  return cookieHeader({ name: SESSION_COOKIE, value: token, path: '/', seconds }, settings);
}

/** Scripts don't see it, and other sites' pages send it only by following a link. */
export function cookieHeader(
  { name, value, path, seconds }: { name: string; value: string; path: string; seconds: number },
  { isSecure }: CookieSettings,
): string {
  const attributes = [
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${seconds}`,
    ...(isSecure ? ['Secure'] : []),
  ];
  return [`${name}=${value}`, ...attributes].join('; ');
}
