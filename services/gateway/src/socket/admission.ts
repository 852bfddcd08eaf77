// Decides who may connect, and for whom a socket then reads. Rules: AUTH3, PUB3, GEN3.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/messages';
import type { Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import type { Audience, FeedAuthorization } from '../realtime/subscriber.ts';
import type { FeedQuestions } from './feed-questions.ts';

/** Longer texts are no public tokens, and are not asked for. */
const LONGEST_PUBLIC_TOKEN = 200;

interface Options {
  authenticate: Authenticate;
  feedQuestions: FeedQuestions;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  isStopping: () => boolean;
  /** Listens to feeds from now on; null where that was done already. */
  listen: (feeds: readonly string[]) => Promise<unknown> | null;
}

/**
 * The needs of a socket while it lives. It is resolved once, so that no call has to wait for
 * anything before it is published.
 */
export interface Admission {
  readonly audience: Audience;
  readonly feeds: readonly FeedAuthorization[];
  /** Where changes are asked for from (EVT2); anonymous readers have none. */
  readonly position: string | null;
  /** There where the reader was granted more than is shown (ACL11). */
  readonly truncated?: true | undefined;
  /** The parts that an anonymous reader has none of. */
  readonly identity: Identity | null;
  /** How it came (EVT1): by a token, by a browser's cookie, or without an account. */
  readonly client: 'api' | 'web' | 'public';
}

/**
 * Feeds are read before the connection is answered: a refusal is then a clean `connect_error`, and
 * a call can't come too early.
 */
export async function admit(
  { headers, auth }: Pick<Socket['handshake'], 'headers' | 'auth'>,
  options: Options,
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
  return admitUser(identity, isCookie ? 'web' : 'api', options);
}

/** A value that is no text is no token; how it would write itself is a client's own choice. */
function textOf(token: unknown): string | null {
  return typeof token === 'string' ? token : null;
}

const stopping = refuse('unavailable', 'This gateway is stopping. Connect again.');

async function admitUser(identity: Identity, client: 'api' | 'web', options: Options): Promise<Admission | Refusal> {
  const { user } = identity;
  await options.listen([userFeed(user.id)]);
  const ask = () => options.feedQuestions.ofUser(user);
  const found = await askListening(ask, ({ feeds }) => feeds, options);
  if (found === null) return nobodyThere;
  return isRefusal(found) ? found : { audience: { kind: 'user', user }, identity, client, ...found };
}

/** Its user has gone since the token was looked up. */
const nobodyThere = refuse('unauthorized', 'The token is no longer valid.');

/**
 * Asks once more where the answer names feeds to which nobody here has listened: what is committed
 * between an answer and the listening would be heard by nobody (EVT4).
 */
async function askListening<T>(
  ask: () => Promise<T | Refusal | null>,
  feedsOf: (found: T) => readonly FeedAuthorization[],
  { listen }: Options,
): Promise<T | Refusal | null> {
  const found = await ask();
  if (found === null || isRefusal(found)) return found;
  const listening = listen(feedsOf(found).map(({ feed }) => feed));
  if (listening === null) return found;
  await listening;
  return ask();
}

async function admitPublic(token: unknown, options: Options): Promise<Admission | Refusal> {
  if (typeof token !== 'string' || token === '' || token.length > LONGEST_PUBLIC_TOKEN) return nothingPublic;
  const ask = () => options.feedQuestions.ofToken(token);
  const feed = await askListening(ask, (found) => [found], options);
  if (feed === null) return nothingPublic;
  if (isRefusal(feed)) return feed;
  return { audience: { kind: 'public', token }, feeds: [feed], position: null, identity: null, client: 'public' };
}

/** Unknown, expired, trashed and unpublished tokens are all the same (PUB3). */
const nothingPublic = refuse('not_found', 'There is no publication with this token.');

/**
 * Lets go of all that it came with, its token included: some kilobytes of each socket, which nobody
 * needs any more.
 */
export function forgetArrival(socket: Socket): void {
  Object.assign(socket, { data: {}, handshake: FORGOTTEN });
  (socket.conn as { request: unknown }).request = null;
}

/** In place of the handshakes of all sockets that were let in. */
const FORGOTTEN = Object.freeze({ headers: {}, auth: {}, query: {}, url: '' });
