// The feeds of users who connected lately, as workers answered. A further socket of a user may start
// from such an answer, as a copy of another socket's subscriptions (`subscriptions.ts`). Rules: ACL7,
// EVT1, EVT5.
//
// If a message names the user, or if messages were lost, the user's answer is dropped, also one that
// is in flight. So an answer has every feed that the user had gained before the last such message.
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import type { FeedAuthorization, UserFeeds } from './subscriber.ts';
import type { Authorization, Subscriber } from './subscription.ts';

/** From the start of the look-up: the longest time for which the loss of a message about the user matters. */
export const KNOWN_MS = 5_000;
const MAXIMUM_USERS = 10_000;
/** Feeds in all answers: some 50 MB with the positions, whose length grows with their feeds. */
const MAXIMUM_FEEDS = 200_000;
/** A reader's sockets among which one to copy is sought. */
const COPIED_AMONG = 4;

interface KnownAnswer {
  readonly email: string;
  readonly feeds: UserFeeds;
  readonly askedAtMs: number;
}

/** A look-up in flight. */
interface PendingLookup {
  isOutdated: boolean;
}

export type LookUpFeeds = () => Promise<UserFeeds | Refusal | null>;

export function createKnownFeeds() {
  const answers = new LRUCache<string, KnownAnswer>({
    max: MAXIMUM_USERS,
    maxSize: MAXIMUM_FEEDS,
    sizeCalculation: ({ feeds }) => 1 + feeds.feeds.length,
    ttl: KNOWN_MS,
    // A gateway at rest keeps no answers.
    ttlAutopurge: true,
    // The present clock, which may be that of a test.
    perf: performance,
  });
  /** By user; bounded by the sockets that connect. */
  const pending = new Map<string, Set<PendingLookup>>();

  function begin(id: string): PendingLookup {
    const lookup: PendingLookup = { isOutdated: false };
    pending.set(id, (pending.get(id) ?? new Set()).add(lookup));
    return lookup;
  }

  function end(id: string, lookup: PendingLookup): void {
    const others = pending.get(id);
    others?.delete(lookup);
    if (others?.size === 0) pending.delete(id);
  }

  function forget(id: string): void {
    answers.delete(id);
    for (const lookup of pending.get(id) ?? []) lookup.isOutdated = true;
  }

  return {
    /** The user's known answer, if it is recent. */
    of({ id, email }: ActingUser): UserFeeds | null {
      const answer = answers.get(id);
      if (answer === undefined || answer.email !== email) return null;
      return answer.askedAtMs + KNOWN_MS > performance.now() ? answer.feeds : null;
    },
    /** Looks up, and keeps the answer. */
    async lookUp({ id, email }: ActingUser, lookUp: LookUpFeeds): Promise<UserFeeds | Refusal | null> {
      const askedAtMs = performance.now();
      const lookup = begin(id);
      try {
        const feeds = await lookUp();
        if (feeds === null || isRefusal(feeds)) return feeds;
        if (!lookup.isOutdated) answers.set(id, { email, feeds, askedAtMs });
        return feeds;
      } finally {
        end(id, lookup);
      }
    },
    /** Drops what is known of a user, whose access may have changed. */
    forget,
    /** Drops all answers: messages may be lost. */
    forgetAll(): void {
      answers.clear();
      for (const id of pending.keys()) forget(id);
    },
    /** How many users' answers are kept. */
    size: () => answers.size,
  };
}

/** Copies an authorization from a subscriber's live subscription; null if that is not possible. */
type CopyOne = (subscriber: Subscriber, feed: string, authorization: Authorization) => Authorization | null;

/**
 * The known feeds of a user as one of their sockets receives them now (F8 in `feed-channel.ts`).
 * Null if nothing is known, or if no socket has exactly these feeds.
 */
export function copyOf(known: UserFeeds | null, subscribers: Iterable<Subscriber>, copyOne: CopyOne): UserFeeds | null {
  if (known === null) return null;
  let tried = 0;
  for (const subscriber of subscribers) {
    if (tried++ === COPIED_AMONG) return null;
    if (subscriber.subscriptions.size !== known.feeds.length) continue;
    const feeds = copyFeeds(subscriber, known.feeds, copyOne);
    if (feeds !== null) return { ...known, feeds };
  }
  return null;
}

function copyFeeds(
  subscriber: Subscriber,
  authorizations: readonly FeedAuthorization[],
  copyOne: CopyOne,
): FeedAuthorization[] | null {
  const feeds: FeedAuthorization[] = [];
  for (const authorization of authorizations) {
    const copy = copyFeed(subscriber, authorization, copyOne);
    if (copy === null) return null;
    feeds.push(copy);
  }
  return feeds;
}

function copyFeed(
  subscriber: Subscriber,
  { feed, epoch, seq, due }: FeedAuthorization,
  copyOne: CopyOne,
): FeedAuthorization | null {
  const endsAt = due === null ? null : Date.parse(due);
  if (endsAt !== null && endsAt <= Date.now()) return null;
  const copy = copyOne(subscriber, feed, { epoch, seq, endsAt });
  return copy === null ? null : { feed, epoch, seq: copy.seq, due };
}
