// Decides whether a socket may connect, and which feeds its reader may read. Rules: AUTH3, PUB3,
// GEN3.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import { refuseMissingScopes, scopesOf } from '@taskgraph/wire/scopes';
import type { Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import type { Audience, FeedAuthorization } from '../realtime/subscriber.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import { type FeedLookup, lookUpWithOpenChannels, type OpenChannels } from './feed-lookup.ts';

/** Longer texts are not public tokens and are not looked up. */
const LONGEST_PUBLIC_TOKEN = 200;

interface AdmissionOptions {
  authenticate: Authenticate;
  feedLookup: FeedLookup;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  isStopping: () => boolean;
  listen: OpenChannels;
  /** Copies the feeds of the user's other sockets, or looks them up. */
  feedsOf: Subscriptions['feedsOf'];
}

/** The reader of a socket, resolved once, so that no call must wait before it is published. */
export interface Admission {
  readonly audience: Audience;
  readonly feeds: readonly FeedAuthorization[];
  /** The position for `changes:get` (EVT2); null for anonymous readers. */
  readonly position: string | null;
  /** Present if the reader has more grants than are shown (ACL11). */
  readonly truncated?: true | undefined;
  /** Null for an anonymous reader. */
  readonly identity: Identity | null;
  /** The kind of client (EVT1): with a token, with a browser's cookie, or anonymous. */
  readonly client: 'api' | 'web' | 'public';
}

/**
 * Reads the feeds before the connection is answered, so that a refusal is a clean `connect_error`
 * and no call comes too early.
 */
export async function admit(
  { headers, auth }: Pick<Socket['handshake'], 'headers' | 'auth'>,
  options: AdmissionOptions,
  address: string,
): Promise<Admission | Refusal> {
  if (options.isStopping()) return stopping;
  const refusedOrigin = refuseOrigin(headers.origin, headers.host, options);
  if (refusedOrigin !== null) return refusedOrigin;
  const isNamed = auth.api_token !== undefined || headers.authorization !== undefined;
  if (!isNamed && auth.public_token !== undefined) return admitPublic(auth.public_token, options);
  const inHeaders = credentialOf(headers, options.cookies);
  const { token, isCookie } =
    auth.api_token === undefined ? inHeaders : { token: textOf(auth.api_token), isCookie: false };
  const site = headers['sec-fetch-site'];
  const forged = isCookie ? refuseForgery(headers.origin, typeof site === 'string' ? site : undefined) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, address);
  if (isRefusal(identity)) return identity;
  // A socket receives everything that its user sees.
  const outside = refuseMissingScopes(['read'], scopesOf(identity.token));
  if (outside !== null) return outside;
  return admitUser(identity, isCookie ? 'web' : 'api', options);
}

/**
 * Only a text can be a token; converting another value would run the client's own choice of text.
 */
function textOf(token: unknown): string | null {
  return typeof token === 'string' ? token : null;
}

const stopping = refuse('unavailable', 'This gateway is stopping. Connect again.');

async function admitUser(
  identity: Identity,
  client: 'api' | 'web',
  options: AdmissionOptions,
): Promise<Admission | Refusal> {
  const { user } = identity;
  await options.listen([userFeed(user.id)]);
  const lookUp = () => options.feedsOf(user, () => options.feedLookup.ofUser(user));
  const found = await lookUpWithOpenChannels(lookUp, ({ feeds }) => feeds, options.listen);
  if (found === null) return userDeleted;
  return isRefusal(found) ? found : { audience: { kind: 'user', user }, identity, client, ...found };
}

/** The user was deleted after the token's look-up. */
const userDeleted = refuse('unauthorized', 'The token is no longer valid.');

async function admitPublic(token: unknown, options: AdmissionOptions): Promise<Admission | Refusal> {
  if (typeof token !== 'string' || token === '' || token.length > LONGEST_PUBLIC_TOKEN) return nothingPublic;
  const lookUp = () => options.feedLookup.ofToken(token);
  const feed = await lookUpWithOpenChannels(lookUp, (found) => [found], options.listen);
  if (feed === null) return nothingPublic;
  if (isRefusal(feed)) return feed;
  return { audience: { kind: 'public', token }, feeds: [feed], position: null, identity: null, client: 'public' };
}

/** The same refusal for unknown, expired, trashed and unpublished tokens (PUB3). */
const nothingPublic = refuse('not_found', 'There is no publication with this token.');

/** Drops the handshake and its token: kilobytes of each socket that nothing needs any more. */
export function forgetArrival(socket: Socket): void {
  Object.assign(socket, { data: {}, handshake: FORGOTTEN });
  (socket.conn as { request: unknown }).request = null;
}

/** Replaces the handshakes of all admitted sockets. */
const FORGOTTEN = Object.freeze({ headers: {}, auth: {}, query: {}, url: '' });
