// The feeds of users who connected lately, as workers answered. A further socket of a user may start
// from such an answer, as a copy of another socket's subscriptions (`subscriptions.ts`). Rules: ACL7,
// EVT1, EVT5.
//
// An answer is dropped, also while its look-up is in flight, if its user is named or if messages
// were lost. So it contains every feed that the user had gained before the last message about them.
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import type { UserFeeds } from './subscriber.ts';

/** From the begin of an answer's look-up: for so long a lost message about the user does not show. */
export const KNOWN_MS = 5_000;
const MAXIMUM_USERS = 10_000;
/** Feeds in all answers: some 40 MB. */
const MAXIMUM_FEEDS = 200_000;

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
  };
}
