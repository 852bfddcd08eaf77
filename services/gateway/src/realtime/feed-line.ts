// One feed as this gateway serves it: its slices in order, and who may hear which. Rules: ACL7, EVT1, EVT4.
//
// Each member is known to have had access up to some epoch: a worker judged it so, and no raise since that was explained names it. A slice
// of a later epoch is held until a worker's word explains that epoch; whoever the word names leaves, and all others hear the slice. So a
// word that comes late holds slices back, one that never comes makes a hole, which heals, and neither makes a leak.
import type { FeedRaise, SliceMessage } from '@taskgraph/wire/messages';
import type { Explanations } from './epoch-explanations.ts';
import { type Arrived, createSliceBuffer, type Pool } from './slice-buffer.ts';
import { type Member, type Readable, roomOf } from './subscriber.ts';

/** How long a slice waits for those before it, or for the explanation of its epoch; both are mostly milliseconds behind. */
export const HOLD_MS = 1_000;

/** Where a judgement stands: the epoch that was read before it, and the head. */
type Judged = Pick<Readable, 'epoch' | 'seq'>;

interface Place {
  /** Up to which epoch the member itself is known to have had access; the line's own counts where that is later. */
  readonly epoch: number;
  /** A later judgement, which says nothing of the epochs in between. */
  judged: Judged | null;
}

export interface LineCounts {
  /** Numbers that were given up. */
  skipped: number;
  /** Times in which all members of a feed had to be judged, as an epoch was not explained. */
  unexplained: number;
}

export interface LineGround {
  readonly explanations: Explanations;
  readonly pool: Pool;
  readonly counts: LineCounts;
  /** Hands a slice to the rooms of this gateway. */
  readonly deliver: (slice: SliceMessage, to: { readonly users: boolean; readonly public: boolean }) => void;
  /** Hands a slice to one member. */
  readonly deliverTo: (member: Member, slice: SliceMessage) => void;
  readonly membersOf: (userId: string) => Iterable<Member>;
  /** Access ends at this moment, or before. */
  readonly endAt: (member: Member, feed: string, due: string) => void;
  /** The member stands in the line no longer, and has to be judged. */
  readonly dismissed: (member: Member, feed: string) => void;
  /** The member goes on behind a hole. */
  readonly resumed: (member: Member, feed: string, seq: number) => void;
}

export type Line = ReturnType<typeof createLine>;

export function createLine(feed: string, ground: LineGround) {
  const { explanations, counts } = ground;
  const places = new Map<Member, Place>();
  /** Members who enter once the line is past their heads, which were read before or after what was delivered here. */
  const waiting = new Map<Member, number>();
  const anonymous = new Set<Member>();
  const buffer = createSliceBuffer(ground.pool);
  /** Up to which epoch all members are known to have access, and the number that was delivered last; of no meaning without members. */
  let epoch = 0;
  let seq = 0;
  /** Since when it has had members: a word may be on its way to whoever comes first, and who is judged too early is not judged over and over. */
  let startedMs = 0;
  /** An epoch that was seen and is not explained, and since when the word has been missing that leads on from `from`. */
  let suspected: { epoch: number; sinceMs: number; from: number } | null = null;

  /** Up to which epoch a judgement holds by what was told since; null where the member had to leave since. */
  function verify(member: Member, judged: number): number | null {
    let verified = judged;
    for (;;) {
      const raise = explanations.after(feed, verified);
      if (raise === undefined) return verified;
      const departure = departureFrom(raise, member);
      if (departure !== null && departure.due === undefined) return null;
      if (departure?.due !== undefined) ground.endAt(member, feed, departure.due);
      verified = raise.epoch;
    }
  }

  /** The member enters at the next `advance`. False where the judgement is older than what is known here. */
  function join(member: Member, judged: Judged): boolean {
    const verified = verify(member, judged.epoch);
    if (verified === null || (places.size > 0 && verified < epoch)) return false;
    if (places.size === 0) {
      epoch = verified;
      seq = judged.seq;
      startedMs = Date.now();
      suspected = null;
    }
    places.set(member, { epoch: verified, judged: null });
    waiting.set(member, judged.seq);
    if (member.audience.kind === 'public') anonymous.add(member);
    // Others may be behind, or something in between was not told yet.
    suspect(Math.max(verified, explanations.newest(feed)));
    return true;
  }

  function leave(member: Member): void {
    places.delete(member);
    anonymous.delete(member);
    if (!waiting.delete(member)) void member.socket.leave(roomOf(member.audience.kind, feed));
  }

  function dismiss(member: Member): void {
    leave(member);
    ground.dismissed(member, feed);
  }

  /** Lets in whose heads are not past a number, with what was delivered since. */
  function enter(upTo: number): void {
    for (const [member, head] of waiting) {
      if (head > upTo) continue;
      waiting.delete(member);
      void member.socket.join(roomOf(member.audience.kind, feed));
      for (const { slice } of buffer.between(head, seq)) ground.deliverTo(member, slice);
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
    // Whoever starts at a number that was lost starts here.
    enter(slice.seq - 1);
    counts.skipped += slice.seq - seq - 1;
    seq = slice.seq;
    // Who waits is in no room yet.
    ground.deliver(slice, { users: places.size > anonymous.size, public: anonymous.size > 0 });
  }

  /** Takes all out who are not known to have had access up to an epoch. A judgement that came meanwhile lets them on from its head. */
  function giveUp(to: number): void {
    if (to <= epoch) return;
    counts.unexplained++;
    epoch = to;
    const left = [...places].filter(([, place]) => place.epoch < to);
    for (const [member] of left) leave(member);
    for (const [member, { judged }] of left) {
      if (judged === null || judged.epoch < to || !join(member, judged)) ground.dismissed(member, feed);
      else ground.resumed(member, feed, judged.seq);
    }
    follow();
  }

  /** Goes on by all that is explained. */
  function follow(): void {
    for (;;) {
      const raise = places.size > 0 ? explanations.after(feed, epoch) : undefined;
      if (raise === undefined) return;
      epoch = raise.epoch;
      const named = (raise.leaving ?? []).flatMap(({ user }) => [...ground.membersOf(user)]);
      for (const member of raise.public === undefined ? named : [...named, ...anonymous]) {
        const departure = departureFrom(raise, member);
        // Whoever was judged later has come back since.
        if (departure === null || (places.get(member)?.epoch ?? epoch) >= epoch) continue;
        if (departure.due === undefined) dismiss(member);
        else ground.endAt(member, feed, departure.due);
      }
    }
  }

  /** An epoch was seen that is not explained; it may still be. */
  function suspect(seen: number, nowMs = Date.now()): void {
    if (seen <= epoch) return;
    const sinceMs = suspected?.from === epoch ? suspected.sinceMs : nowMs;
    suspected = { epoch: Math.max(seen, suspected?.epoch ?? 0), sinceMs, from: epoch };
  }

  return {
    join,
    leave,
    has: (member: Member) => places.has(member),
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
    /** Takes in that a member was judged again. False where that is older than what is known here. */
    judge(member: Member, judged: Judged): boolean {
      const place = places.get(member);
      if (place === undefined || judged.epoch < Math.max(epoch, place.epoch)) return false;
      if (judged.epoch > Math.max(epoch, place.epoch)) place.judged = { epoch: judged.epoch, seq: judged.seq };
      suspect(judged.epoch);
      return true;
    },
    /** Goes on where the time is up. Gives whether there is something left to wait for. */
    tick(nowMs: number): boolean {
      if (suspected !== null && suspected.epoch <= epoch) suspected = null;
      // Words do come: the one that is missing now has not been for long.
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

/** Whether a raise names a member, and until when they may stay; null where it does not. */
function departureFrom(
  { leaving = [], public: open }: FeedRaise,
  { audience }: Member,
): { due?: string | undefined } | null {
  const named = audience.kind === 'public' ? open : leaving.find(({ user }) => user === audience.user.id);
  // What was held until this word goes out at once: whose end is past by now must not wait for an alarm.
  if (named?.due !== undefined && Date.parse(named.due) <= Date.now()) return {};
  return named ?? null;
}
