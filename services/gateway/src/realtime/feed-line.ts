// One feed as this gateway serves it: its slices in order, and who may hear which. Rules: ACL7, EVT1, EVT4, EVT5.
//
// Each subscriber is known to have had access up to some epoch: a worker said so, and no raise since that was explained names it. A slice
// of a later epoch is held until a control message explains that epoch; whoever it names leaves, and all others hear the slice. So a
// message that comes late holds slices back, one that never comes makes a hole, which heals, and neither makes a leak. The file is
// long because all of it works on the state of one line.
import type { FeedRaise } from '@taskgraph/wire/messages';
import type { LineGround } from './line-ground.ts';
import { type Arrived, SliceBuffer } from './slice-buffer.ts';
import { type Readable, roomOf, type Subscriber } from './subscriber.ts';
import { departureFrom } from './told-raises.ts';

/** How long a slice waits for those before it, or for the control message of its epoch; both are mostly milliseconds behind. */
export const HOLD_MS = 1_000;

/** Where an authorization stands: the epoch that was read before it, and the head. */
type Authorized = Pick<Readable, 'epoch' | 'seq'>;

interface Place {
  /** Up to which epoch the subscriber itself is known to have had access; the line's own counts where that is later. */
  readonly epoch: number;
  /** A later authorization, which says nothing of the epochs in between. */
  authorized: Authorized | null;
}

/** A class, so that a gateway's many feeds share its functions: most users have one of their own. */
export class Line {
  readonly feed: string;
  readonly #ground: LineGround;
  readonly #places = new Map<Subscriber, Place>();
  /** Subscribers who enter once the line is past their heads, which were read before or after what was delivered here. */
  readonly #waiting = new Map<Subscriber, number>();
  /** Null as long as there was none, as in most lines. */
  #anonymous: Set<Subscriber> | null = null;
  /** The number that those who left had heard: the head that they come back with may have been read before it. Null as long as nobody left. */
  #heard: WeakMap<Subscriber, number> | null = null;
  readonly #buffer: SliceBuffer;
  /** Up to which epoch all subscribers are known to have access, and the number that was delivered last; of no meaning without subscribers. */
  #epoch = 0;
  #seq = 0;
  /** Since when it has had subscribers: a control message may be on its way to whoever comes first, and who is authorized too early is not authorized over and over. */
  #startedMs = 0;
  /** An epoch that was seen and is not explained, and since when the raise has been missing that leads on from `from`. */
  #suspected: { epoch: number; sinceMs: number; from: number } | null = null;

  constructor(feed: string, ground: LineGround) {
    this.feed = feed;
    this.#ground = ground;
    this.#buffer = new SliceBuffer(ground.pool);
  }

  has(subscriber: Subscriber): boolean {
    return this.#places.has(subscriber);
  }

  size(): number {
    return this.#places.size;
  }

  /** The rooms in which it is heard here. */
  rooms(): string[] {
    return [
      ...(this.#hasUsers() ? [roomOf('user', this.feed)] : []),
      ...(this.#hasAnonymous() ? [roomOf('public', this.feed)] : []),
    ];
  }

  waiting(): number {
    return this.#places.size === 0 ? 0 : this.#buffer.waiting(this.#seq);
  }

  /** The number that was delivered last. */
  delivered(): number {
    return this.#seq;
  }

  /** The subscriber enters at the next `advance`. False where the authorization is older than what is known here. */
  join(subscriber: Subscriber, authorized: Authorized): boolean {
    const verified = this.#verify(subscriber, authorized.epoch);
    if (verified === null || (this.#places.size > 0 && verified < this.#epoch)) return false;
    const head = Math.max(authorized.seq, this.#heard?.get(subscriber) ?? 0);
    if (this.#places.size === 0) {
      this.#epoch = verified;
      // Slices that came since and were too much to be kept are not waited for.
      this.#seq = Math.max(head, this.#buffer.forgotten());
      this.#startedMs = performance.now();
      this.#suspected = null;
    }
    this.#places.set(subscriber, { epoch: verified, authorized: null });
    this.#waiting.set(subscriber, head);
    if (subscriber.audience.kind === 'public') {
      this.#anonymous ??= new Set();
      this.#anonymous.add(subscriber);
    }
    // Others may be behind, or something in between was not told yet.
    this.suspect(Math.max(verified, this.#ground.toldRaises.newest(this.feed)));
    return true;
  }

  leave(subscriber: Subscriber): void {
    if (this.#places.has(subscriber)) {
      this.#heard ??= new WeakMap();
      this.#heard.set(subscriber, this.#waiting.get(subscriber) ?? this.#seq);
    }
    this.#places.delete(subscriber);
    this.#anonymous?.delete(subscriber);
    if (!this.#waiting.delete(subscriber)) void subscriber.socket.leave(roomOf(subscriber.audience.kind, this.feed));
  }

  advance(nowMs: number): void {
    this.#enter(this.#seq);
    while (this.#places.size > 0) {
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
    this.#buffer.trim(this.#places.size > 0 ? this.#seq : Number.POSITIVE_INFINITY, nowMs);
  }

  /** Takes a slice in; one that comes after its number was given up is dropped. */
  take(arrived: Arrived): void {
    if (this.#places.size > 0 && arrived.slice.seq <= this.#seq) return;
    this.#buffer.add(arrived);
    this.advance(arrived.atMs);
  }

  /** Goes on by what was told of a feed. */
  explained(nowMs: number): void {
    this.#follow();
    this.advance(nowMs);
  }

  /** An epoch was seen that is not explained; it may still be. */
  suspect(seen: number, nowMs = performance.now()): void {
    if (seen <= this.#epoch) return;
    const before = this.#suspected;
    const sinceMs = before?.from === this.#epoch ? before.sinceMs : nowMs;
    this.#suspected = { epoch: Math.max(seen, before?.epoch ?? 0), sinceMs, from: this.#epoch };
  }

  /** Takes all out who are not known to have had access up to an epoch. An authorization that came meanwhile lets them on from its head. */
  giveUp(to: number): void {
    if (to <= this.#epoch) return;
    this.#ground.counts.unexplained++;
    this.#epoch = to;
    const left = [...this.#places].filter(([, place]) => place.epoch < to);
    for (const [subscriber] of left) this.leave(subscriber);
    for (const [subscriber, { authorized }] of left) {
      if (authorized === null || authorized.epoch < to || !this.join(subscriber, authorized))
        this.#ground.dismissed(subscriber, this.feed);
      else this.#ground.resumed(subscriber, this.feed, authorized.seq);
    }
    this.#follow();
  }

  /** Takes in that a subscriber was authorized again. False where that is older than what is known here, and no raise told since vouches for it. */
  authorize(subscriber: Subscriber, authorized: Authorized): boolean {
    const place = this.#places.get(subscriber);
    if (place === undefined) return false;
    const known = Math.max(this.#epoch, place.epoch);
    if (authorized.epoch < known) return (this.#verify(subscriber, authorized.epoch) ?? 0) >= known;
    if (authorized.epoch > known) place.authorized = { epoch: authorized.epoch, seq: authorized.seq };
    this.suspect(authorized.epoch);
    return true;
  }

  /** Goes on where the time is up. Gives whether there is something left to wait for. */
  tick(nowMs: number): boolean {
    if (this.#suspected !== null && this.#suspected.epoch <= this.#epoch) this.#suspected = null;
    // Raises do come: the one that is missing now has not been for long.
    else if (this.#suspected !== null && this.#suspected.from < this.#epoch) this.suspect(this.#suspected.epoch, nowMs);
    if (this.#suspected !== null && this.#suspected.sinceMs + HOLD_MS <= nowMs) {
      this.giveUp(this.#suspected.epoch);
      this.#suspected = null;
    }
    this.advance(nowMs);
    return this.#suspected !== null || !this.#buffer.isEmpty();
  }

  close(): void {
    this.#buffer.clear();
  }

  #hasAnonymous(): boolean {
    return this.#anonymous !== null && this.#anonymous.size > 0;
  }

  #hasUsers(): boolean {
    return this.#places.size > (this.#anonymous?.size ?? 0);
  }

  /** Up to which epoch an authorization holds by what was told since; null where the subscriber had to leave since. */
  #verify(subscriber: Subscriber, authorized: number): number | null {
    let verified = authorized;
    for (;;) {
      const raise = this.#ground.toldRaises.after(this.feed, verified);
      if (raise === undefined) return verified;
      const departure = departureFrom(raise, subscriber);
      if (departure !== null && departure.due === undefined) return null;
      if (departure?.due !== undefined) this.#ground.endAt(subscriber, this.feed, departure.due);
      verified = raise.epoch;
    }
  }

  /** Lets in whose heads are not past a number, with what was delivered since; where not all of that is kept, the subscriber is told. */
  #enter(upTo: number): void {
    for (const [subscriber, head] of this.#waiting) {
      if (head > upTo) continue;
      this.#waiting.delete(subscriber);
      void subscriber.socket.join(roomOf(subscriber.audience.kind, this.feed));
      const kept = this.#buffer.between(head, this.#seq);
      for (const { slice } of kept) this.#ground.deliverTo(subscriber, slice);
      if (kept.length < this.#seq - head) this.#ground.resumed(subscriber, this.feed, this.#seq);
    }
  }

  #deliver({ slice }: Arrived): void {
    // A reader who starts at a number that was lost starts here.
    this.#enter(slice.seq - 1);
    this.#ground.counts.skipped += slice.seq - this.#seq - 1;
    this.#seq = slice.seq;
    // A subscriber who waits is in no room yet.
    this.#ground.deliver(slice, { users: this.#hasUsers(), public: this.#hasAnonymous() });
  }

  /** Goes on by all that is explained. */
  #follow(): void {
    for (;;) {
      const raise = this.#places.size > 0 ? this.#ground.toldRaises.after(this.feed, this.#epoch) : undefined;
      if (raise === undefined) return;
      this.#epoch = raise.epoch;
      for (const subscriber of this.#namedBy(raise)) {
        const departure = departureFrom(raise, subscriber);
        // A subscriber who was authorized later has come back since.
        if (departure === null || (this.#places.get(subscriber)?.epoch ?? this.#epoch) >= this.#epoch) continue;
        if (departure.due !== undefined) this.#ground.endAt(subscriber, this.feed, departure.due);
        else {
          this.leave(subscriber);
          this.#ground.dismissed(subscriber, this.feed);
        }
      }
    }
  }

  #namedBy(raise: FeedRaise): Subscriber[] {
    const users = (raise.leaving ?? []).flatMap(({ user }) => [...this.#ground.subscribersOf(user)]);
    return raise.public === undefined ? users : [...users, ...(this.#anonymous ?? [])];
  }
}
