// The feed channels of this gateway. A channel is open, and its feed's slices arrive, before its
// readers are authorized, so that no slice between the authorization and the subscription is
// missed. It stays open for a while after its last subscription. Rules: EVT1, EVT4.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import { FeedChannel } from './feed-channel.ts';
import type { FeedContext } from './feed-context.ts';
import type { BufferPool } from './slice-buffer.ts';
import type { Authorization, FeedHead, Subscriber, Subscription } from './subscription.ts';

/** How long a channel stays open without a subscription. */
const LINGER_MS = 5_000;
/** Open channels without a subscription; past it the longest idle are closed. */
const MAXIMUM_LINGERING = 20_000;
const TICK_MS = 100;

/** The source of slices: those of a feed arrive while it is subscribed. */
export interface SliceSource {
  /**
   * Resolves when the feed's slices arrive; null if there is nothing to wait for. It does not
   * reject.
   */
  subscribe(feed: string): Promise<void> | null;
  unsubscribe(feed: string): void;
  /** False while slices that other gateways received do not arrive. */
  isConnected(): boolean;
}

interface FeedChannelsOptions extends Omit<FeedContext, 'pool'> {
  readonly source: SliceSource;
}

export function createFeedChannels({ source, ...options }: FeedChannelsOptions) {
  const pool: BufferPool = { bytes: 0 };
  const context: FeedContext = { ...options, pool, onRevoked };
  const channels = new Map<string, FeedChannel>();
  const opening = new Map<string, Promise<void>>();
  /** Since when channels have had no subscription, the longest first. */
  const idleSince = new Map<string, number>();
  /** Channels that wait for something, or keep delivered slices. */
  const active = new Set<FeedChannel>();
  let timer: ReturnType<typeof setInterval> | null = null;

  function open(feed: string): FeedChannel {
    const present = channels.get(feed);
    if (present !== undefined) return present;
    const channel = new FeedChannel(feed, context);
    channels.set(feed, channel);
    // Earlier slices are missing even if the source has nothing to wait for: no channel received
    // them.
    const ready = source.subscribe(feed) ?? Promise.resolve();
    const opened: Promise<void> = ready.then(() => {
      if (opening.get(feed) === opened) opening.delete(feed);
    });
    opening.set(feed, opened);
    startIdling(feed);
    return channel;
  }

  function onRevoked(subscription: Subscription): void {
    if (channels.get(subscription.feed)?.size() === 0) startIdling(subscription.feed);
    options.onRevoked(subscription);
  }

  function startIdling(feed: string): void {
    idleSince.delete(feed);
    idleSince.set(feed, performance.now());
    startTicking();
  }

  function startTicking(): void {
    if (timer !== null) return;
    timer = setInterval(tick, TICK_MS);
    timer.unref();
  }

  function tick(): void {
    const now = performance.now();
    for (const channel of active) if (!channel.tick(now)) active.delete(channel);
    for (const [feed, since] of idleSince) {
      if (since + LINGER_MS > now && idleSince.size <= MAXIMUM_LINGERING) break;
      close(feed);
    }
    if (active.size > 0 || idleSince.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  function close(feed: string): void {
    idleSince.delete(feed);
    const channel = channels.get(feed);
    // A revoked subscription may have restarted at once.
    if (channel === undefined || channel.size() > 0) return;
    opening.delete(feed);
    channel.close();
    active.delete(channel);
    channels.delete(feed);
    source.unsubscribe(feed);
  }

  function watch(channel: FeedChannel): void {
    active.add(channel);
    startTicking();
  }

  return {
    /**
     * Opens the channels of feeds. Null if all are open and receive slices; else it resolves when
     * they do.
     */
    listen(feeds: Iterable<string>): Promise<unknown> | null {
      const ready: Promise<void>[] = [];
      for (const feed of feeds) {
        const channel = open(feed);
        if (channel.size() === 0) startIdling(feed);
        const opened = opening.get(feed);
        if (opened !== undefined) ready.push(opened);
      }
      return ready.length === 0 ? null : Promise.all(ready);
    },
    find: (subscriber: Subscriber, feed: string) => channels.get(feed)?.find(subscriber),
    /**
     * Subscribes to an open channel; nothing is sent before `advance`. Null if none is open or the
     * authorization is out of date.
     */
    subscribe(subscriber: Subscriber, feed: string, authorization: Authorization): Subscription | null {
      const channel = channels.get(feed);
      if (channel === undefined) return null;
      const subscription = channel.subscribe(subscriber, authorization);
      if (subscription !== null) idleSince.delete(feed);
      watch(channel);
      return subscription;
    },
    /** Applies a later authorization; false if it is out of date. */
    renew(subscription: Subscription, authorization: Authorization): boolean {
      const channel = channels.get(subscription.feed);
      if (channel === undefined) return false;
      watch(channel);
      return channel.renew(subscription, authorization);
    },
    /** Copies the authorization of a live subscription; null if that is not possible. */
    copyAuthorization: (subscriber: Subscriber, feed: string, authorization: Authorization) =>
      channels.get(feed)?.copyAuthorization(subscriber, authorization) ?? null,
    end(subscription: Subscription): void {
      const channel = channels.get(subscription.feed);
      if (channel === undefined) return;
      channel.end(subscription);
      if (channel.size() === 0) startIdling(subscription.feed);
    },
    advance: (feed: string) => channels.get(feed)?.advance(performance.now()),
    receive(slice: RawSlice, bytes: number): void {
      const channel = channels.get(slice.feed);
      if (channel === undefined) return;
      channel.receive({ slice, bytes, atMs: performance.now() });
      watch(channel);
    },
    /**
     * Applies a bump that was added to the log. One without names has all subscribers authorized
     * again.
     */
    applyBump(bump: FeedEpochBump): void {
      const channel = channels.get(bump.feed);
      if (channel === undefined) return;
      if (bump.previous === undefined) channel.giveUp(bump.epoch);
      channel.noteEpoch(bump.epoch);
      channel.followBumps(performance.now());
      watch(channel);
    },
    /**
     * Notes a feed's head; if no bump explains its epoch in time, the subscribers are authorized
     * again.
     */
    noteHead(feed: string, head: FeedHead): void {
      const channel = channels.get(feed);
      if (channel === undefined) return;
      channel.noteHead(head);
      watch(channel);
    },
    /** The Socket.IO rooms of each feed with subscriptions. */
    served(): Map<string, string[]> {
      const served = new Map<string, string[]>();
      for (const [feed, channel] of channels) if (channel.size() > 0) served.set(feed, channel.rooms());
      return served;
    },
    /** By feed, the subscribers that joined since the last call. */
    takeNewcomers(): ReadonlyMap<string, ReadonlySet<Subscriber>> {
      const taken = new Map<string, ReadonlySet<Subscriber>>();
      for (const [feed, channel] of channels) {
        const newcomers = channel.takeNewcomers();
        if (newcomers !== null) taken.set(feed, newcomers);
      }
      return taken;
    },
    /**
     * The number a feed delivered last, and whether it holds later ones; null without
     * subscriptions.
     */
    progress(feed: string): { readonly delivered: number; readonly isHolding: boolean } | null {
      const channel = channels.get(feed);
      if (channel === undefined || channel.size() === 0) return null;
      return { delivered: channel.delivered(), isHolding: channel.held() > 0 };
    },
    /** How many slices are held. */
    held(): number {
      let held = 0;
      for (const channel of active) held += channel.held();
      return held;
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
  };
}
