// The credential of a request: a token in a header or, in a browser, the cookie of a session.
// Rules: AUTH1, AUTH3.
import { hasSessionShape } from '@taskgraph/runtime/security/tokens';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { parseCookie, stringifySetCookie } from 'cookie';
import { type CookieSettings, isLoopback } from './origin.ts';
import { bearerToken } from './token.ts';

/** The name of the session cookie, without its prefix. */
const SESSION_COOKIE = 'taskgraph_session';

/** The token as received, or null. */
interface Credential {
  readonly token: string | null;
  /** Browsers send cookies with the requests of any page, so these need a check against forgery. */
  readonly isCookie: boolean;
}

/** The headers with credentials; an empty one counts as missing. */
interface CredentialHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly host?: string | undefined;
}

/** An Authorization header takes precedence over the cookie, even if it is wrong. */
export function credentialOf({ authorization, cookie, host }: CredentialHeaders, settings: CookieSettings): Credential {
  if (authorization !== undefined && authorization !== '') {
    return { token: bearerToken(authorization), isCookie: false };
  }
  const token = cookieNamed(cookieName(SESSION_COOKIE, host, settings), cookie);
  // API tokens are for programs. A cookie must hold a session, which expires and can be ended.
  return token !== null && hasSessionShape(token) ? { token, isCookie: true } : { token: null, isCookie: false };
}

/** The raw value of a cookie, or null. The first one of a name counts. */
export function cookieNamed(name: string, header: string | undefined): string | null {
  return parseCookie(header ?? '', { decode: asItIs })[name] ?? null;
}

/**
 * Refuses a change by a cookie unless the browser confirms that a page of the service sent it.
 * Named origins are checked before; `site` is the header Sec-Fetch-Site.
 */
export function refuseForgery(origin: string | undefined, site: string | undefined): Refusal | null {
  if ((origin !== undefined && origin !== '') || site === 'same-origin') return null;
  return refuse('forbidden.origin', 'A request with a cookie must name the page that sends it.');
}

/**
 * The cookie's name in the browser. With the prefix `__Host-`, browsers accept it only from this
 * host and over TLS. On the local machine there is no TLS, so the name has no prefix, unless the
 * public address uses TLS.
 */
export function cookieName(name: string, host: string | undefined, settings: CookieSettings): string {
  const { isSecure, publicOrigin } = settings;
  const isOverTls = publicOrigin === undefined ? !isLoopback(host ?? '') : publicOrigin.startsWith('https:');
  return isSecure && isOverTls ? `__Host-${name}` : name;
}

/** The header that stores a session in the browser; an empty token removes it. */
export function sessionCookie(token: string, seconds: number, host: string, settings: CookieSettings): string {
  return cookieHeader({ name: SESSION_COOKIE, value: token, seconds }, host, settings);
}

/**
 * Hidden from scripts, and sent from other sites only when a link is followed. `host` is the Host
 * header.
 */
export function cookieHeader(
  { name, value, seconds }: { name: string; value: string; seconds: number },
  host: string,
  settings: CookieSettings,
): string {
  return stringifySetCookie(
    {
      name: cookieName(name, host, settings),
      value,
      maxAge: seconds,
      path: '/',
      httpOnly: true,
      secure: settings.isSecure,
      sameSite: 'lax',
    },
    { encode: asItIs },
  );
}

/** The values need no encoding: they are tokens and base64url texts. */
function asItIs(value: string): string {
  return value;
}
