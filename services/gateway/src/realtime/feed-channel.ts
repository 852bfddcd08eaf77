// One feed in one gateway: it owns the feed's subscriptions and delivers slices to them. Rules:
// ACL5, ACL7, EVT1, EVT4, EVT5, PUB6. It is long, since the invariants hold over one state.
//
// The channel has an epoch, up to which all its subscriptions are verified, and `seq`, the number
// delivered last.
//
// Invariants:
// F1 A slice is delivered only if the channel's epoch is at least the slice's epoch (ACL7).
// F2 The channel's epoch grows in two ways only. It follows an explained bump that starts from it,
//    and ends the subscriptions that the bump names. Or it gives up, and ends or restarts every
//    subscription that is not verified up to the new epoch (ACL7, EVT4).
// F3 An authorization proves access at its own epoch. Explained bumps that do not name the reader
//    carry it to later epochs; nothing carries it to epochs before. So a restart continues from the
//    authorization's head, behind a hole that `feeds:heads` shows (ACL7).
// F4 A subscriber receives numbers in ascending order and none twice, also after it left and came
//    back (EVT1).
// F5 While access lasts, a subscriber receives every number after its head, or is told of the hole.
//    Only a lost or late message makes one (EVT4, EVT5).
// F6 A slice is held for at most HOLD_MS, and within the bounds of the buffer: for its predecessor,
//    or for the bump to its epoch. So a late message delays, a lost one makes a hole, and neither
//    leaks (ACL7, EVT4).
// F7 A subscription's end is that of its newest authorization, or an earlier one that a later bump
//    named. Nothing reaches it after its end (ACL5, PUB6).
// F8 A copy of a live subscription is authorized as the original is: for the same reader, at the
//    channel's epoch, up to the same end, from the number delivered last. None is made after a later
//    epoch was seen, nor while a seen number is not delivered. If that number is lost, this lasts
//    until the feed's next slice (ACL7, EVT1, EVT5).
//
// Transitions of a subscription, all in `#setState`:
//   (new) -> joining         a worker authorized the subscriber
//   joining -> live          the channel has delivered the subscription's head
//   joining, live -> ended   its reader lost access or left, or the channel gave up
//   ended -> joining         after giving up, if a later authorization restarts it
import type { FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import { removalFrom } from './epoch-change-log.ts';
import type { FeedContext } from './feed-context.ts';
import { type ReceivedSlice, SliceBuffer } from './slice-buffer.ts';
import { roomOf } from './subscriber.ts';
import {
  type Authorization,
  ENDED,
  earlierEnd,
  type FeedHead,
  LIVE,
  type Subscriber,
  type Subscription,
  type SubscriptionState,
} from './subscription.ts';

/**
 * How long a slice waits for its predecessors or for its epoch's control message; either is usually
 * milliseconds away.
 */
export const HOLD_MS = 1_000;

/**
 * A class, so that the many channels of a gateway share their functions: most users have a feed of
 * their own.
 */
export class FeedChannel {
  readonly feed: string;
  readonly #context: FeedContext;
  readonly #subscriptions = new Map<Subscriber, Subscription>();
  /** How many of them are of anonymous readers. */
  #anonymous = 0;
  /**
   * The subscriptions in state `joining`, so that a delivery need not search for them; null if
   * there are none.
   */
  #joining: Set<Subscription> | null = null;
  /** Subscribers that joined after the last round of heads; null if there are none. */
  #newcomers: Set<Subscriber> | null = null;
  /**
   * The numbers up to which former subscribers received slices: they may come back with an older
   * head. Null if there are none.
   */
  #received: WeakMap<Subscriber, number> | null = null;
  readonly #buffer: SliceBuffer;
  #epoch = 0;
  #seq = 0;
  /** The highest epoch and number in any message or answer. */
  readonly #highestSeen = { epoch: 0, seq: 0 };
  /** When the first subscription began: the bumps before it may still be on their way. */
  #startedMs = 0;
  /**
   * An epoch seen without its bump, and since when the bump that starts from `from` has been
   * missing.
   */
  #unexplained: { readonly epoch: number; readonly sinceMs: number; readonly from: number } | null = null;

  constructor(feed: string, context: FeedContext) {
    this.feed = feed;
    this.#context = context;
    this.#buffer = new SliceBuffer(context.pool);
  }

  find(subscriber: Subscriber): Subscription | undefined {
    return this.#subscriptions.get(subscriber);
  }

  size(): number {
    return this.#subscriptions.size;
  }

  /** The Socket.IO rooms in which subscribers of this gateway receive the feed. */
  rooms(): string[] {
    return [
      ...(this.#hasUsers() ? [roomOf('user', this.feed)] : []),
      ...(this.#anonymous > 0 ? [roomOf('public', this.feed)] : []),
    ];
  }

  /** How many slices are held. */
  held(): number {
    return this.#subscriptions.size === 0 ? 0 : this.#buffer.waiting(this.#seq);
  }

  /** The number delivered last. */
  delivered(): number {
    return this.#seq;
  }

  /** Returns the subscribers that joined since the last call. */
  takeNewcomers(): ReadonlySet<Subscriber> | null {
    const newcomers = this.#newcomers;
    this.#newcomers = null;
    return newcomers;
  }

  /**
   * Begins a subscription, which receives nothing before the next `advance`. Null if the
   * authorization is out of date.
   */
  subscribe(subscriber: Subscriber, authorization: Authorization): Subscription | null {
    this.#noteSeen(authorization);
    const subscription: Subscription = {
      subscriber,
      feed: this.feed,
      verifiedEpoch: authorization.epoch,
      endsAt: authorization.endsAt,
      renewal: null,
      state: ENDED,
    };
    if (!this.#join(subscription, authorization)) return null;
    subscriber.subscriptions.add(subscription);
    this.#newcomers ??= new Set();
    this.#newcomers.add(subscriber);
    return subscription;
  }

  /**
   * Applies a later authorization. False if it is out of date and no logged bumps carry it to the
   * epoch verified here.
   */
  renew(subscription: Subscription, authorization: Authorization): boolean {
    this.#noteSeen(authorization);
    const verifiedEpoch = Math.max(this.#epoch, subscription.verifiedEpoch);
    if (authorization.epoch < verifiedEpoch) {
      const carried = this.#carry(subscription.subscriber, authorization);
      if (carried === null || carried.epoch < verifiedEpoch) return false;
      subscription.endsAt = carried.endsAt;
      return true;
    }
    subscription.endsAt = authorization.endsAt;
    if (authorization.epoch > verifiedEpoch) {
      subscription.renewal = { epoch: authorization.epoch, seq: authorization.seq };
    }
    this.noteEpoch(authorization.epoch);
    return true;
  }

  /**
   * Returns the authorization of this live subscription for a further socket of its reader (F8).
   * Returns null if the ends differ, if a later epoch was seen, or if a seen number is not delivered
   * yet: a lower number would make the client assume a restored database.
   */
  copyAuthorization(subscriber: Subscriber, { epoch, seq, endsAt }: Authorization): Authorization | null {
    const subscription = this.#subscriptions.get(subscriber);
    if (subscription?.state.kind !== 'live' || subscription.endsAt !== endsAt) return null;
    if (this.#epoch !== epoch || this.#highestSeen.epoch > epoch) return null;
    if (this.#seq < Math.max(seq, this.#highestSeen.seq)) return null;
    return { epoch, seq: this.#seq, endsAt };
  }

  end(subscription: Subscription): void {
    const { subscriber } = subscription;
    this.#leave(subscription);
    this.#newcomers?.delete(subscriber);
    subscriber.subscriptions.delete(subscription);
  }

  /** Delivers slices that need not be held any longer. */
  advance(nowMs: number): void {
    this.#enter(this.#seq);
    while (this.#subscriptions.size > 0) {
      const next = this.#buffer.firstAfter(this.#seq);
      if (next === undefined) break;
      const isFull = this.#buffer.isOverfull(this.#seq);
      if (next.slice.seq !== this.#seq + 1 && next.atMs + HOLD_MS > nowMs && !isFull) break;
      if (next.slice.epoch > this.#epoch) {
        if (Math.max(next.atMs, this.#startedMs) + HOLD_MS > nowMs && !isFull) break;
        this.giveUp(next.slice.epoch);
      } else this.#deliver(next);
    }
    this.#enter(this.#seq);
    this.#buffer.trim(this.#subscriptions.size > 0 ? this.#seq : Number.POSITIVE_INFINITY, nowMs);
  }

  /** Receives a slice; drops it if its number was delivered or given up. */
  receive(received: ReceivedSlice): void {
    this.#noteSeen(received.slice);
    if (this.#subscriptions.size > 0 && received.slice.seq <= this.#seq) return;
    this.#buffer.add(received);
    this.advance(received.atMs);
  }

  /** Continues after a bump was added to the log. */
  followBumps(nowMs: number): void {
    this.#follow();
    this.advance(nowMs);
  }

  /** Notes the head of the feed, which was read; its slice and its bump may still come. */
  noteHead(head: FeedHead): void {
    this.#noteSeen(head);
    this.noteEpoch(head.epoch);
  }

  /** Notes that the feed has reached an epoch; its bump may still come. */
  noteEpoch(epoch: number, nowMs = performance.now()): void {
    this.#highestSeen.epoch = Math.max(this.#highestSeen.epoch, epoch);
    if (epoch <= this.#epoch) return;
    const before = this.#unexplained;
    const sinceMs = before?.from === this.#epoch ? before.sinceMs : nowMs;
    this.#unexplained = { epoch: Math.max(epoch, before?.epoch ?? 0), sinceMs, from: this.#epoch };
  }

  /**
   * Stops waiting for the bumps up to an epoch (F2): ends the subscriptions not verified for it, or
   * restarts them (F3).
   */
  giveUp(epoch: number): void {
    if (epoch <= this.#epoch) return;
    this.#context.counts.unexplained++;
    this.#epoch = epoch;
    const unverified = [...this.#subscriptions.values()].filter(({ verifiedEpoch }) => verifiedEpoch < epoch);
    for (const subscription of unverified) this.#leave(subscription);
    for (const subscription of unverified) {
      const { subscriber, renewal, endsAt } = subscription;
      if (renewal === null || renewal.epoch < epoch || !this.#join(subscription, { ...renewal, endsAt })) {
        this.#revoke(subscription);
      } else this.#context.onHole(subscriber, this.feed, renewal.seq);
    }
    this.#follow();
  }

  /** Stops waiting where the time is up. Returns whether the channel still waits for something. */
  tick(nowMs: number): boolean {
    if (this.#unexplained !== null && this.#unexplained.epoch <= this.#epoch) this.#unexplained = null;
    // Bumps do arrive: the one that is missing now has not been missing for long.
    else if (this.#unexplained !== null && this.#unexplained.from < this.#epoch)
      this.noteEpoch(this.#unexplained.epoch, nowMs);
    if (this.#unexplained !== null && this.#unexplained.sinceMs + HOLD_MS <= nowMs) {
      this.giveUp(this.#unexplained.epoch);
      this.#unexplained = null;
    }
    this.advance(nowMs);
    return this.#unexplained !== null || !this.#buffer.isEmpty();
  }

  close(): void {
    this.#buffer.clear();
  }

  #noteSeen({ epoch, seq }: FeedHead): void {
    this.#highestSeen.epoch = Math.max(this.#highestSeen.epoch, epoch);
    this.#highestSeen.seq = Math.max(this.#highestSeen.seq, seq);
  }

  #hasUsers(): boolean {
    return this.#subscriptions.size > this.#anonymous;
  }

  /**
   * Puts an ended subscription into the channel, from an authorization on. False if that is out of
   * date.
   */
  #join(subscription: Subscription, authorization: Authorization): boolean {
    const { subscriber } = subscription;
    const carried = this.#carry(subscriber, authorization);
    if (carried === null || (this.#subscriptions.size > 0 && carried.epoch < this.#epoch)) return false;
    const head = Math.max(authorization.seq, this.#received?.get(subscriber) ?? 0);
    if (this.#subscriptions.size === 0) this.#restart(carried.epoch, head);
    subscription.verifiedEpoch = carried.epoch;
    subscription.endsAt = carried.endsAt;
    subscription.renewal = null;
    this.#subscriptions.set(subscriber, subscription);
    if (subscriber.audience.kind === 'public') this.#anonymous++;
    this.#setState(subscription, { kind: 'joining', head });
    // Other subscriptions may be behind, or a bump in between may be missing.
    this.noteEpoch(Math.max(carried.epoch, this.#context.epochChanges.newest(this.feed)));
    return true;
  }

  /**
   * Without subscriptions, the channel's epoch and number mean nothing: the first subscription sets
   * them.
   */
  #restart(epoch: number, head: number): void {
    this.#epoch = epoch;
    // The channel does not wait for numbers that the buffer has dropped.
    this.#seq = Math.max(head, this.#buffer.forgotten());
    this.#startedMs = performance.now();
    this.#unexplained = null;
  }

  /**
   * Takes a subscription out of the channel, and keeps up to which number its subscriber has
   * received slices (F4).
   */
  #leave(subscription: Subscription): void {
    const { subscriber, state } = subscription;
    if (state.kind === 'ended') return;
    this.#received ??= new WeakMap();
    this.#received.set(subscriber, state.kind === 'joining' ? state.head : this.#seq);
    this.#subscriptions.delete(subscriber);
    if (subscriber.audience.kind === 'public') this.#anonymous--;
    this.#setState(subscription, ENDED);
  }

  #revoke(subscription: Subscription): void {
    this.end(subscription);
    this.#context.onRevoked(subscription);
  }

  /** The only writer of a state: the room and `#joining` follow it. */
  #setState(subscription: Subscription, next: SubscriptionState): void {
    const { subscriber, state } = subscription;
    subscription.state = next;
    switch (state.kind) {
      case 'joining':
        this.#joining?.delete(subscription);
        if (this.#joining?.size === 0) this.#joining = null;
        break;
      case 'live':
        void subscriber.socket.leave(roomOf(subscriber.audience.kind, this.feed));
        break;
      case 'ended':
        break;
      default:
        state satisfies never;
    }
    switch (next.kind) {
      case 'joining':
        this.#joining ??= new Set();
        this.#joining.add(subscription);
        break;
      case 'live':
        void subscriber.socket.join(roomOf(subscriber.audience.kind, this.feed));
        break;
      case 'ended':
        break;
      default:
        next satisfies never;
    }
  }

  /**
   * Carries an authorization over the logged bumps that follow it (F3); null if one of them ended
   * the reader's access.
   */
  #carry({ audience }: Subscriber, authorization: Authorization): Omit<Authorization, 'seq'> | null {
    let { epoch, endsAt } = authorization;
    for (;;) {
      const bump = this.#context.epochChanges.after(this.feed, epoch);
      if (bump === undefined) return { epoch, endsAt };
      const removal = removalFrom(bump, audience);
      if (removal !== null) {
        if (removal.due === undefined) return null;
        endsAt = earlierEnd(endsAt, Date.parse(removal.due));
      }
      epoch = bump.epoch;
    }
  }

  /**
   * Lets subscriptions go live whose heads are not past a number, and sends them what was delivered
   * since their heads (F5).
   */
  #enter(upTo: number): void {
    if (this.#joining === null) return;
    for (const subscription of this.#joining) {
      const { subscriber, state } = subscription;
      if (state.kind !== 'joining' || state.head > upTo) continue;
      this.#setState(subscription, LIVE);
      // A late slice may be among them that the channel has passed and never delivered (F1).
      const missed = this.#buffer.between(state.head, this.#seq).filter(({ slice }) => slice.epoch <= this.#epoch);
      for (const { slice } of missed) this.#context.deliverTo(subscriber, slice);
      if (missed.length < this.#seq - state.head) this.#context.onHole(subscriber, this.feed, this.#seq);
    }
  }

  #deliver({ slice }: ReceivedSlice): void {
    // A subscription whose head is a number that was lost starts here.
    this.#enter(slice.seq - 1);
    const skipped = slice.seq - this.#seq - 1;
    this.#seq = slice.seq;
    this.#context.counts.skipped += skipped;
    if (skipped > 0) this.#context.onLoss(this.feed);
    // A joining subscription is not in the room yet.
    this.#context.deliver(slice, { users: this.#hasUsers(), public: this.#anonymous > 0 });
  }

  /** Follows the logged bumps from the channel's epoch on (F2). */
  #follow(): void {
    while (this.#subscriptions.size > 0) {
      const bump = this.#context.epochChanges.after(this.feed, this.#epoch);
      if (bump === undefined) return;
      this.#epoch = bump.epoch;
      for (const subscriber of this.#namedBy(bump)) {
        const subscription = this.#subscriptions.get(subscriber);
        const removal = removalFrom(bump, subscriber.audience);
        // A subscription verified for this epoch or a later one was authorized after the bump.
        if (subscription === undefined || removal === null || subscription.verifiedEpoch >= this.#epoch) continue;
        if (removal.due === undefined) this.#revoke(subscription);
        else {
          subscription.endsAt = earlierEnd(subscription.endsAt, Date.parse(removal.due));
          this.#context.onEndMoved(subscriber);
        }
      }
    }
  }

  #namedBy(bump: FeedEpochBump): Subscriber[] {
    const users = (bump.leaving ?? []).flatMap(({ user }) => [...this.#context.subscribersOf(user)]);
    if (bump.public === undefined) return users;
    const anonymous = [...this.#subscriptions.keys()].filter(({ audience }) => audience.kind === 'public');
    return [...users, ...anonymous];
  }
}
