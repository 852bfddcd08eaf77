// Asks workers which feeds readers may read: all users in one query, all public tokens in another.
// It only asks; `feed-channel.ts` decides who receives what. Rules: ACL5, PUB3.

import { publicFeeds, readersFeeds } from '@taskgraph/wire/bus/gateway-reads';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { AskWorkers } from '../worker-client.ts';
import type { Audience, FeedAuthorization } from './subscriber.ts';
import type { Subscriber } from './subscription.ts';

/**
 * Subscribers of one kind, by reader: users by their id, anonymous readers by their token. None is
 * empty.
 */
export type SubscribersByReader = ReadonlyMap<string, readonly Subscriber[]>;

/** The feeds of each reader, by the same keys. A reader without an entry may read nothing. */
export type FeedsByReader = ReadonlyMap<string, readonly FeedAuthorization[]>;

export type Authorize = (subscribers: SubscribersByReader) => Promise<FeedsByReader | Refusal>;

export function createFeedAuthorizer({ askWorkers }: { readonly askWorkers: AskWorkers }): Authorize {
  async function authorizeUsers(subscribers: SubscribersByReader): Promise<FeedsByReader | Refusal> {
    const readers = [...subscribers.values()].flatMap(([subscriber]) => readerOf(subscriber));
    const answer = await askWorkers('readers:feeds', { readers }, readersFeeds);
    return isRefusal(answer) ? answer : new Map(answer.readers.map(({ id, feeds }) => [id, feeds]));
  }

  async function authorizeTokens(subscribers: SubscribersByReader): Promise<FeedsByReader | Refusal> {
    const answer = await askWorkers('public:feeds', { tokens: [...subscribers.keys()] }, publicFeeds);
    return isRefusal(answer) ? answer : new Map(answer.tokens.map(({ token, ...feed }) => [token, [feed]]));
  }

  return async (subscribers) => {
    const [first] = subscribers.values().next().value ?? [];
    if (first === undefined) return new Map();
    return first.audience.kind === 'user' ? authorizeUsers(subscribers) : authorizeTokens(subscribers);
  };
}

export function readerKeyOf(audience: Audience): string {
  return audience.kind === 'user' ? audience.user.id : audience.token;
}

function readerOf(subscriber: Subscriber | undefined): { id: string; email: string }[] {
  if (subscriber?.audience.kind !== 'user') return [];
  const { id, email } = subscriber.audience.user;
  return [{ id, email }];
}
