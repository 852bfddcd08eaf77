// The followers of this gateway: one for each user with waiting calls. A follower stays open for a
// while after the last call, because the next call usually comes at once. Rule: LONG1.
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import type { FeedContext } from '../realtime/feed-context.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import { type FeedLookup, lookUpWithOpenChannels } from '../socket/feed-lookup.ts';
import { type FollowersByFeed, UserFollower } from './user-follower.ts';

/** How long a follower stays open without a call. */
const LINGER_MS = 5_000;
/** Most followers without a call; past this number, the longest idle are closed. */
const MAXIMUM_LINGERING = 2_000;

export interface FollowersOptions {
  readonly subscriptions: () => Pick<Subscriptions, 'add' | 'listen' | 'remove'>;
  readonly feedLookup: Pick<FeedLookup, 'ofUser'>;
}

type Delivery = Pick<FeedContext, 'deliver' | 'deliverTo'>;

export type Followers = ReturnType<typeof createFollowers>;

/**
 * `subscriptions` is a function, because the subscriptions need the deliveries of this module
 * first.
 */
export function createFollowers({ subscriptions, feedLookup }: FollowersOptions) {
  const live: FollowersByFeed = new Map();
  const byUser = new Map<string, UserFollower>();
  const opening = new Map<string, Promise<UserFollower | Refusal>>();
  /** Followers without a call, the longest idle first. */
  const idle = new Map<string, NodeJS.Timeout>();

  async function open(user: ActingUser): Promise<UserFollower | Refusal> {
    const { listen } = subscriptions();
    await listen([userFeed(user.id)]);
    const found = await lookUpWithOpenChannels(
      () => feedLookup.ofUser(user),
      ({ feeds }) => feeds,
      listen,
    );
    if (found === null) return userDeleted;
    if (isRefusal(found)) return found;
    const follower = new UserFollower(live, found.feeds);
    byUser.set(user.id, follower);
    follower.subscriber = subscriptions().add(follower, { kind: 'user', user }, found.feeds);
    return follower;
  }

  function openOnce(user: ActingUser): Promise<UserFollower | Refusal> {
    const shared = opening.get(user.id);
    if (shared !== undefined) return shared;
    const opened = open(user).finally(() => opening.delete(user.id));
    opening.set(user.id, opened);
    return opened;
  }

  function startIdling(userId: string): void {
    idle.set(userId, setTimeout(() => close(userId), LINGER_MS).unref());
    const [longest] = idle.keys();
    if (idle.size > MAXIMUM_LINGERING && longest !== undefined) close(longest);
  }

  function stopIdling(userId: string): void {
    clearTimeout(idle.get(userId));
    idle.delete(userId);
  }

  function close(userId: string): void {
    stopIdling(userId);
    const follower = byUser.get(userId);
    if (follower === undefined) return;
    byUser.delete(userId);
    follower.close();
    if (follower.subscriber !== null) subscriptions().remove(follower.subscriber);
  }

  return {
    /**
     * Follows the feeds of a user until `unfollow`; calls `wake` about 100 ms after a change.
     * Returns a refusal if no worker can name the feeds.
     */
    async follow(user: ActingUser, wake: () => void): Promise<UserFollower | Refusal> {
      const follower = byUser.get(user.id) ?? (await openOnce(user));
      if (isRefusal(follower)) return follower;
      follower.add(wake);
      stopIdling(user.id);
      return follower;
    },
    unfollow(user: ActingUser, follower: UserFollower, wake: () => void): void {
      follower.delete(wake);
      if (follower.size === 0 && byUser.get(user.id) === follower) startIdling(user.id);
    },
    noteHead(feed: string, seq: number): void {
      for (const follower of live.get(feed) ?? []) follower.noteNumber(feed, seq);
    },
    /** Delivers slices to sockets with `toSockets`, and their numbers to followers. */
    deliveryWith(toSockets: Delivery): Delivery {
      return {
        deliver(slice, to) {
          toSockets.deliver(slice, to);
          for (const follower of live.get(slice.feed) ?? []) follower.noteNumber(slice.feed, slice.seq);
        },
        deliverTo(subscriber, slice) {
          const { socket } = subscriber;
          if (socket instanceof UserFollower) socket.noteNumber(slice.feed, slice.seq);
          else toSockets.deliverTo(subscriber, slice);
        },
      };
    },
    /** The number of users with a follower. */
    size: () => byUser.size,
    stop(): void {
      for (const userId of [...byUser.keys()]) close(userId);
    },
  };
}

/** The user was deleted after the token's look-up. */
const userDeleted = refuse('unauthorized', 'The token is no longer valid.');
