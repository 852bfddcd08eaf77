// How a caller says who they are: by a token in a header, or, in a browser, by the cookie of a session. Rules: AUTH1, AUTH3.
import { hasSessionShape } from '@taskgraph/runtime/security/tokens';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type CookieSettings, isLoopback } from './origin.ts';
import { bearerToken } from './token.ts';

/** The name of the cookie that holds a session's token, without what may stand before it. */
const SESSION_COOKIE = 'taskgraph_session';

/** A token as it came; null where none did. */
interface Credential {
  readonly token: string | null;
  /** Browsers send cookies by themselves, also for pages that have nothing to do with us. */
  readonly isCookie: boolean;
}

/** The headers that say who asks; those that are empty count as missing. */
interface Asking {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly host?: string | undefined;
}

/** An Authorization header, right or wrong, comes before the cookie. */
export function credentialOf({ authorization, cookie, host }: Asking, settings: CookieSettings): Credential {
  if (authorization !== undefined && authorization !== '') {
    return { token: bearerToken(authorization), isCookie: false };
  }
  const token = cookieNamed(cookieName(SESSION_COOKIE, host, settings), cookie);
  // Other tokens are for programs: what a browser sends by itself must be a session, which ends and can be ended.
  return token !== null && hasSessionShape(token) ? { token, isCookie: true } : { token: null, isCookie: false };
}

/** The value of a cookie as it stands in the header, or null. Of several with one name, the first counts. */
export function cookieNamed(name: string, header: string | undefined): string | null {
  return parseCookie(header ?? '', { decode: asItIs })[name] ?? null;
}

/**
 * Refuses what changes something by a cookie, unless the browser says that one of our pages asks. Origins that are named were judged before;
 * `site` is the header Sec-Fetch-Site.
 */
export function refuseForgery(origin: string | undefined, site: string | undefined): Refusal | null {
  if ((origin !== undefined && origin !== '') || site === 'same-origin') return null;
  return refuse('forbidden.origin', 'A request with a cookie must name the page that sends it.');
}

/**
 * The name under which a browser keeps a cookie. By `__Host-` browsers see to it that no other host, and no page without TLS, has put it
 * there. On this machine itself there is no TLS, and the name stays plain, unless the public address says otherwise.
 */
export function cookieName(name: string, host: string | undefined, settings: CookieSettings): string {
  const { isSecure, publicOrigin } = settings;
  const isOverTls = publicOrigin === undefined ? !isLoopback(host ?? '') : publicOrigin.startsWith('https:');
  return isSecure && isOverTls ? `__Host-${name}` : name;
}

/** The header that gives a browser its session; an empty token takes it away. */
export function sessionCookie(token: string, seconds: number, host: string, settings: CookieSettings): string {
  return cookieHeader({ name: SESSION_COOKIE, value: token, seconds }, host, settings);
}

/** Scripts don't see it, and other sites' pages send it only by following a link. `host` is the Host header of the request. */
export function cookieHeader(
  { name, value, seconds }: { name: string; value: string; seconds: number },
  host: string,
  settings: CookieSettings,
): string {
  return stringifySetCookie(
    {
      ...{ name: cookieName(name, host, settings), value, maxAge: seconds },
      ...{ path: '/', httpOnly: true, secure: settings.isSecure, sameSite: 'lax' },
    },
    { encode: asItIs },
  );
}

/** Our values need no encoding: tokens, and texts in base64url. */
function asItIs(value: string): string {
  return value;
}
