// Decides who may connect, and for whom a socket then reads. Rules: AUTH3, PUB3, GEN3.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { publicFeeds, readerFeeds, userFeed } from '@taskgraph/wire/messages';
import type { Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import type { Audience, Readable } from '../realtime/subscriber.ts';
import type { AskWorkers } from '../worker-questions.ts';

/** Longer texts are no public tokens, and are not asked for. */
const LONGEST_PUBLIC_TOKEN = 200;

interface Options {
  authenticate: Authenticate;
  askWorkers: AskWorkers;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  deadlineMs: number;
  isStopping: () => boolean;
  /** Listens to feeds from now on; null where that was done already. */
  listen: (feeds: readonly string[]) => Promise<unknown> | null;
}

/** The needs of a socket while it lives. It is resolved once, so that no call has to wait for anything before it is published. */
export interface Admission {
  readonly audience: Audience;
  readonly feeds: readonly Readable[];
  /** Where changes are asked for from (EVT2); anonymous readers have none. */
  readonly position: string | null;
  /** The parts that an anonymous reader has none of. */
  readonly identity: Identity | null;
  /** How it came (EVT1): by a token, by a browser's cookie, or without an account. */
  readonly client: 'api' | 'web' | 'public';
}

/** Feeds are read before the connection is answered: a refusal is then a clean `connect_error`, and a call can't come too early. */
export async function admit(
  { headers, auth }: Pick<Socket['handshake'], 'headers' | 'auth'>,
  options: Options,
  traceId: string,
  address: string,
): Promise<Admission | Refusal> {
  if (options.isStopping()) return stopping;
  const refusedOrigin = refuseOrigin(headers.origin, headers.host, options);
  if (refusedOrigin !== null) return refusedOrigin;
  const isNamed = auth.api_token !== undefined || headers.authorization !== undefined;
  if (!isNamed && auth.public_token !== undefined) return admitPublic(auth.public_token, options, traceId);
  const inHeaders = credentialOf(headers, options.cookies);
  const { token, isCookie } =
    auth.api_token === undefined ? inHeaders : { token: textOf(auth.api_token), isCookie: false };
  const site = headers['sec-fetch-site'];
  const forged = isCookie ? refuseForgery(headers.origin, typeof site === 'string' ? site : undefined) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, traceId, address);
  if (isRefusal(identity)) return identity;
  return admitUser(identity, isCookie ? 'web' : 'api', options, traceId);
}

/** A value that is no text is no token; how it would write itself is a client's own choice. */
function textOf(token: unknown): string | null {
  return typeof token === 'string' ? token : null;
}

const stopping = refuse('unavailable', 'This gateway is stopping. Connect again.');

async function admitUser(
  identity: Identity,
  client: 'api' | 'web',
  options: Options,
  traceId: string,
): Promise<Admission | Refusal> {
  const { user } = identity;
  await options.listen([userFeed(user.id)]);
  const asker = { actor: user, traceId, deadlineMs: options.deadlineMs };
  const ask = () => options.askWorkers('reader:feeds', {}, readerFeeds, asker);
  const found = await askListening(ask, ({ feeds }) => feeds, options);
  return isRefusal(found) ? found : { audience: { kind: 'user', user }, identity, client, ...found };
}

/**
 * Asks once more where the answer names feeds to which nobody here has listened: what is committed between an answer and the listening
 * would be heard by nobody (EVT4).
 */
async function askListening<T>(
  ask: () => Promise<T | Refusal>,
  feedsOf: (found: T) => readonly Readable[],
  { listen }: Options,
): Promise<T | Refusal> {
  const found = await ask();
  if (isRefusal(found)) return found;
  const listening = listen(feedsOf(found).map(({ feed }) => feed));
  if (listening === null) return found;
  await listening;
  return ask();
}

async function admitPublic(token: unknown, options: Options, traceId: string): Promise<Admission | Refusal> {
  if (typeof token !== 'string' || token === '' || token.length > LONGEST_PUBLIC_TOKEN) return nothingPublic;
  const asker = { actor: null, traceId, deadlineMs: options.deadlineMs };
  const ask = async () => {
    const answer = await options.askWorkers('public:feeds', { tokens: [token] }, publicFeeds, asker);
    return isRefusal(answer) ? answer : answer.tokens.filter((each) => each.token === token);
  };
  const feeds = await askListening(ask, (found) => found, options);
  if (isRefusal(feeds)) return feeds;
  if (feeds.length === 0) return nothingPublic;
  return { audience: { kind: 'public', token }, feeds, position: null, identity: null, client: 'public' };
}

/** Unknown, expired, trashed and unpublished tokens are all the same (PUB3). */
const nothingPublic = refuse('not_found', 'There is nothing public under this token.');
