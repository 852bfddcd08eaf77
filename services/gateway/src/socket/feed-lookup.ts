// Looks up the feeds that a connecting socket may read. Sockets that connect at once share a query.
// Rules: ACL5, EVT1, PUB3.

import type { ActingUser } from '@taskgraph/wire/actor';
import { publicFeeds, readersFeeds } from '@taskgraph/wire/bus/gateway-reads';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { createBatchLoader } from '../batch-loader.ts';
import type { FeedAuthorization, UserFeeds } from '../realtime/subscriber.ts';
import { type AskWorkers, systemCaller } from '../worker-client.ts';

/** Users, and tokens, in one query: the database reads them in some tens of milliseconds. */
const READERS_A_QUERY = 200;

interface FeedLookupOptions {
  readonly askWorkers: AskWorkers;
  readonly deadlineMs: number;
}

/** Each answer is read after its look-up began. */
export interface FeedLookup {
  /** Null if the user no longer exists. */
  ofUser(user: ActingUser): Promise<UserFeeds | Refusal | null>;
  /** Null if nothing is published under the token. */
  ofToken(token: string): Promise<FeedAuthorization | Refusal | null>;
}

export function createFeedLookup({ askWorkers, deadlineMs }: FeedLookupOptions): FeedLookup {
  const ofUser = createBatchLoader<ActingUser, UserFeeds>({
    most: READERS_A_QUERY,
    async load(users) {
      const readers = [...users.values()].map(({ id, email }) => ({ id, email }));
      const answer = await askWorkers('readers:feeds', { readers }, readersFeeds, systemCaller(deadlineMs));
      return isRefusal(answer) ? answer : new Map(answer.readers.map(({ id, ...found }) => [id, found]));
    },
  });
  const ofToken = createBatchLoader<string, FeedAuthorization>({
    most: READERS_A_QUERY,
    async load(tokens) {
      const answer = await askWorkers(
        'public:feeds',
        { tokens: [...tokens.keys()] },
        publicFeeds,
        systemCaller(deadlineMs),
      );
      return isRefusal(answer) ? answer : new Map(answer.tokens.map(({ token, ...feed }) => [token, feed]));
    },
  });
  return { ofUser: (user) => ofUser(user.id, user), ofToken: (token) => ofToken(token, token) };
}

/** Opens the channels of feeds. Returns null if they are open, otherwise a promise for that. */
export type OpenChannels = (feeds: readonly string[]) => Promise<unknown> | null;

/**
 * Looks up the feeds, and opens their channels. If a channel was not open, looks up again: slices
 * committed between the first look-up and the opening would be missed (EVT4).
 */
export async function lookUpWithOpenChannels<T>(
  lookUp: () => Promise<T | Refusal | null>,
  feedsOf: (found: T) => readonly FeedAuthorization[],
  listen: OpenChannels,
): Promise<T | Refusal | null> {
  const found = await lookUp();
  if (found === null || isRefusal(found)) return found;
  const listening = listen(feedsOf(found).map(({ feed }) => feed));
  if (listening === null) return found;
  await listening;
  return lookUp();
}
