// One feed as this gateway serves it: its slices in order, and who may hear which. Rules: ACL7, EVT1, EVT4.
//
// Each subscriber is known to have had access up to some epoch: a worker said so, and no raise since that was explained names it. A slice
// of a later epoch is held until a control message explains that epoch; whoever it names leaves, and all others hear the slice. So a
// message that comes late holds slices back, one that never comes makes a hole, which heals, and neither makes a leak.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { FeedRaise } from '@taskgraph/wire/messages';
import { type Arrived, createSliceBuffer, type Pool } from './slice-buffer.ts';
import { type Readable, roomOf, type Subscriber } from './subscriber.ts';
import type { ToldRaises } from './told-raises.ts';

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

export interface LineCounts {
  /** Numbers that were given up. */
  skipped: number;
  /** Times in which all subscribers of a feed had to be authorized, as an epoch was not explained. */
  unexplained: number;
}

export interface LineGround {
  readonly toldRaises: ToldRaises;
  readonly pool: Pool;
  readonly counts: LineCounts;
  /** Hands a slice to the rooms of this gateway. */
  readonly deliver: (slice: RawSlice, to: { readonly users: boolean; readonly public: boolean }) => void;
  /** Hands a slice to one subscriber. */
  readonly deliverTo: (subscriber: Subscriber, slice: RawSlice) => void;
  readonly subscribersOf: (userId: string) => Iterable<Subscriber>;
  /** Access ends at this moment, or before. */
  readonly endAt: (subscriber: Subscriber, feed: string, due: string) => void;
  /** The subscriber stands in the line no longer, and has to be authorized. */
  readonly dismissed: (subscriber: Subscriber, feed: string) => void;
  /** The subscriber goes on behind a hole. */
  readonly resumed: (subscriber: Subscriber, feed: string, seq: number) => void;
}

export type Line = ReturnType<typeof createLine>;

export function createLine(feed: string, ground: LineGround) {
  const { toldRaises, counts } = ground;
  const places = new Map<Subscriber, Place>();
  /** Subscribers who enter once the line is past their heads, which were read before or after what was delivered here. */
  const waiting = new Map<Subscriber, number>();
  const anonymous = new Set<Subscriber>();
  /** The number that those who left had heard: the head that they come back with may have been read before it. */
  const heard = new WeakMap<Subscriber, number>();
  const buffer = createSliceBuffer(ground.pool);
  /** Up to which epoch all subscribers are known to have access, and the number that was delivered last; of no meaning without subscribers. */
  let epoch = 0;
  let seq = 0;
  /** Since when it has had subscribers: a control message may be on its way to whoever comes first, and who is authorized too early is not authorized over and over. */
  let startedMs = 0;
  /** An epoch that was seen and is not explained, and since when the raise has been missing that leads on from `from`. */
  let suspected: { epoch: number; sinceMs: number; from: number } | null = null;

  /** Up to which epoch an authorization holds by what was told since; null where the subscriber had to leave since. */
  function verify(subscriber: Subscriber, authorized: number): number | null {
    let verified = authorized;
    for (;;) {
      const raise = toldRaises.after(feed, verified);
      if (raise === undefined) return verified;
      const departure = departureFrom(raise, subscriber);
      if (departure !== null && departure.due === undefined) return null;
      if (departure?.due !== undefined) ground.endAt(subscriber, feed, departure.due);
      verified = raise.epoch;
    }
  }

  /** The subscriber enters at the next `advance`. False where the authorization is older than what is known here. */
  function join(subscriber: Subscriber, authorized: Authorized): boolean {
    const verified = verify(subscriber, authorized.epoch);
    if (verified === null || (places.size > 0 && verified < epoch)) return false;
    const head = Math.max(authorized.seq, heard.get(subscriber) ?? 0);
    if (places.size === 0) {
      epoch = verified;
      seq = head;
      startedMs = performance.now();
      suspected = null;
    }
    places.set(subscriber, { epoch: verified, authorized: null });
    waiting.set(subscriber, head);
    if (subscriber.audience.kind === 'public') anonymous.add(subscriber);
    // Others may be behind, or something in between was not told yet.
    suspect(Math.max(verified, toldRaises.newest(feed)));
    return true;
  }

  function leave(subscriber: Subscriber): void {
    if (places.has(subscriber)) heard.set(subscriber, waiting.get(subscriber) ?? seq);
    places.delete(subscriber);
    anonymous.delete(subscriber);
    if (!waiting.delete(subscriber)) void subscriber.socket.leave(roomOf(subscriber.audience.kind, feed));
  }

  function dismiss(subscriber: Subscriber): void {
    leave(subscriber);
    ground.dismissed(subscriber, feed);
  }

  /** Lets in whose heads are not past a number, with what was delivered since. */
  function enter(upTo: number): void {
    for (const [subscriber, head] of waiting) {
      if (head > upTo) continue;
      waiting.delete(subscriber);
      void subscriber.socket.join(roomOf(subscriber.audience.kind, feed));
      for (const { slice } of buffer.between(head, seq)) ground.deliverTo(subscriber, slice);
    }
  }

  function advance(nowMs: number): void {
    enter(seq);
    while (places.size > 0) {
      const next = buffer.firstAfter(seq);
      if (next === undefined) break;
      const isFull = buffer.isOverfull(seq);
      if (next.slice.seq !== seq + 1 && next.atMs + HOLD_MS > nowMs && !isFull) break;
      if (next.slice.epoch > epoch) {
        if (Math.max(next.atMs, startedMs) + HOLD_MS > nowMs && !isFull) break;
        giveUp(next.slice.epoch);
      } else deliver(next);
    }
    enter(seq);
    buffer.trim(places.size > 0 ? seq : Number.POSITIVE_INFINITY, nowMs);
  }

  function deliver({ slice }: Arrived): void {
    // A reader who starts at a number that was lost starts here.
    enter(slice.seq - 1);
    counts.skipped += slice.seq - seq - 1;
    seq = slice.seq;
    // A subscriber who waits is in no room yet.
    ground.deliver(slice, { users: places.size > anonymous.size, public: anonymous.size > 0 });
  }

  /** Takes all out who are not known to have had access up to an epoch. An authorization that came meanwhile lets them on from its head. */
  function giveUp(to: number): void {
    if (to <= epoch) return;
    counts.unexplained++;
    epoch = to;
    const left = [...places].filter(([, place]) => place.epoch < to);
    for (const [subscriber] of left) leave(subscriber);
    for (const [subscriber, { authorized }] of left) {
      if (authorized === null || authorized.epoch < to || !join(subscriber, authorized))
        ground.dismissed(subscriber, feed);
      else ground.resumed(subscriber, feed, authorized.seq);
    }
    follow();
  }

  /** Goes on by all that is explained. */
  function follow(): void {
    for (;;) {
      const raise = places.size > 0 ? toldRaises.after(feed, epoch) : undefined;
      if (raise === undefined) return;
      epoch = raise.epoch;
      const named = (raise.leaving ?? []).flatMap(({ user }) => [...ground.subscribersOf(user)]);
      for (const subscriber of raise.public === undefined ? named : [...named, ...anonymous]) {
        const departure = departureFrom(raise, subscriber);
        // A subscriber who was authorized later has come back since.
        if (departure === null || (places.get(subscriber)?.epoch ?? epoch) >= epoch) continue;
        if (departure.due === undefined) dismiss(subscriber);
        else ground.endAt(subscriber, feed, departure.due);
      }
    }
  }

  /** An epoch was seen that is not explained; it may still be. */
  function suspect(seen: number, nowMs = performance.now()): void {
    if (seen <= epoch) return;
    const sinceMs = suspected?.from === epoch ? suspected.sinceMs : nowMs;
    suspected = { epoch: Math.max(seen, suspected?.epoch ?? 0), sinceMs, from: epoch };
  }

  return {
    join,
    leave,
    has: (subscriber: Subscriber) => places.has(subscriber),
    size: () => places.size,
    /** The rooms in which it is heard here. */
    rooms: () => [
      ...(places.size > anonymous.size ? [roomOf('user', feed)] : []),
      ...(anonymous.size > 0 ? [roomOf('public', feed)] : []),
    ],
    waiting: () => (places.size === 0 ? 0 : buffer.waiting(seq)),
    /** The number that was delivered last. */
    delivered: () => seq,
    advance,
    /** Takes a slice in; one that comes after its number was given up is dropped. */
    take(arrived: Arrived): void {
      if (places.size > 0 && arrived.slice.seq <= seq) return;
      buffer.add(arrived);
      advance(arrived.atMs);
    },
    /** Goes on by what was told of a feed. */
    explained(nowMs: number): void {
      follow();
      advance(nowMs);
    },
    suspect,
    giveUp,
    /** Takes in that a subscriber was authorized again. False where that is older than what is known here. */
    authorize(subscriber: Subscriber, authorized: Authorized): boolean {
      const place = places.get(subscriber);
      if (place === undefined || authorized.epoch < Math.max(epoch, place.epoch)) return false;
      if (authorized.epoch > Math.max(epoch, place.epoch))
        place.authorized = { epoch: authorized.epoch, seq: authorized.seq };
      suspect(authorized.epoch);
      return true;
    },
    /** Goes on where the time is up. Gives whether there is something left to wait for. */
    tick(nowMs: number): boolean {
      if (suspected !== null && suspected.epoch <= epoch) suspected = null;
      // Raises do come: the one that is missing now has not been for long.
      else if (suspected !== null && suspected.from < epoch) suspect(suspected.epoch, nowMs);
      if (suspected !== null && suspected.sinceMs + HOLD_MS <= nowMs) {
        giveUp(suspected.epoch);
        suspected = null;
      }
      advance(nowMs);
      return suspected !== null || !buffer.isEmpty();
    },
    close: buffer.clear,
  };
}

/** Whether a raise names a subscriber, and until when they may stay; null where it does not. */
function departureFrom(
  { leaving = [], public: open }: FeedRaise,
  { audience }: Subscriber,
): { due?: string | undefined } | null {
  const named = audience.kind === 'public' ? open : leaving.find(({ user }) => user === audience.user.id);
  // Slices that were held until this raise go out at once: whose end is past by now must not wait for an alarm.
  if (named?.due !== undefined && Date.parse(named.due) <= Date.now()) return {};
  return named ?? null;
}
