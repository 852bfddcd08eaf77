// A further socket of a user starts as a copy of another one that is subscribed to the same feeds
// (F8 in feed-channel.ts). Rules: ACL5, ACL7, EVT1.
import type { FeedAuthorization, UserFeeds } from './subscriber.ts';
import type { Authorization, Subscriber } from './subscription.ts';

/** Sockets that one copy tries. */
const MAXIMUM_TRIES = 4;

/** Copies an authorization from a subscriber's live subscription; null if that is not possible. */
type CopyAuthorization = (subscriber: Subscriber, feed: string, authorization: Authorization) => Authorization | null;

/**
 * The looked-up feeds of a user as one of their sockets receives them now. Null if no socket is
 * subscribed to exactly these feeds.
 */
export function copyAuthorizations(
  lookup: UserFeeds,
  subscribers: Iterable<Subscriber>,
  copyAuthorization: CopyAuthorization,
): UserFeeds | null {
  let tries = 0;
  for (const subscriber of subscribers) {
    if (tries++ === MAXIMUM_TRIES) return null;
    if (subscriber.subscriptions.size !== lookup.feeds.length) continue;
    const feeds: FeedAuthorization[] = [];
    for (const { feed, epoch, seq, due } of lookup.feeds) {
      const endsAt = due === null ? null : Date.parse(due);
      if (endsAt !== null && endsAt <= Date.now()) return null;
      const copy = copyAuthorization(subscriber, feed, { epoch, seq, endsAt });
      if (copy === null) break;
      feeds.push({ feed, epoch, seq: copy.seq, due });
    }
    if (feeds.length === lookup.feeds.length) return { ...lookup, feeds };
  }
  return null;
}
