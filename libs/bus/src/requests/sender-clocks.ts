// The times by senders' clocks, as moments of our own clock: deadlines are moments of the clock of whoever set them.

import { randomUUID } from 'node:crypto';

/** Clocks that differ by less, or were set by less, are taken for equal: that much a message may take on its way. */
const TOLERANCE_MS = 500;
/** A clock's state from longer ago than two of these does not count: clocks are set right, too. */
const WINDOW_MS = 10_000;
/** Senders that are remembered; past it, whoever was heard of first is forgotten, and learnt anew. */
const MAXIMUM_SENDERS = 1_000;

interface Sender {
  /** Least time from sending to arrival, by the two clocks, in this window and in the one before. */
  current: number;
  previous: number;
  windowSince: number;
  zeros: Zeros;
}

/** The time that either clock showed when the monotonic one beside it showed 0: a clock that is set, or whose machine slept, has another zero since. */
export interface Zeros {
  readonly theirs: number;
  readonly ours: number;
}

const SAME: Zeros = { theirs: 0, ours: 0 };

/** A message, as far as it tells of clocks. */
interface Arrival {
  readonly sentAt: number;
  readonly nowMs: number;
  readonly zeros?: Zeros | undefined;
  /** The token that its sender has; undefined where the sender knows of none. */
  readonly token?: string | null | undefined;
}

interface Ahead {
  /** Milliseconds by which our clock is ahead of the sender's (negative where it is behind), and 0 where that is less than the tolerance. */
  readonly aheadMs: number;
  /**
   * Null where that is certain. Else the message may as well be late: a token to answer it with, so that its sender sends it again. Only a
   * message with that token was certainly not sent before.
   */
  readonly question: string | null;
}

/** Remembers how far the clocks of senders are from ours. */
export interface SenderClocks {
  /**
   * How far our clock is ahead of the sender's. A message that arrives at `nowMs` and was sent at `sentAt` is one more to learn from.
   *
   * The time between sending and arrival is the difference of the clocks and the time on the way. The least of many is the difference and
   * next to nothing else; so a message that lay about while this process was paused is seen to be late, and one by another clock is not.
   * The first one of a sender has nothing beside it, so that it is asked for again. Where one of the clocks was set since, all is learnt anew.
   */
  aheadOf(sender: string, arrival: Arrival): Ahead;
}

export function createSenderClocks(): SenderClocks {
  const senders = new Map<string, Sender>();
  // A token of another worker proves nothing by our clock.
  const ownId = randomUUID();

  function isFresh(token: string, nowMs: number): boolean {
    const [by, givenAt] = token.split(' ');
    const ageMs = nowMs - Number(givenAt);
    return by === ownId && ageMs >= 0 && ageMs < TOLERANCE_MS;
  }

  return {
    aheadOf(name, { sentAt, nowMs, zeros = SAME, token }) {
      const sample = nowMs - sentAt;
      const known = senders.get(name);
      const isKnown = known !== undefined && !wasSet(known.zeros, zeros);
      if (!isKnown && !isNear(sample) && !isFresh(token ?? '', nowMs)) {
        // A sender that knows of no tokens is believed, but nothing is learnt by it.
        return { aheadMs: sample, question: token === undefined ? null : `${ownId} ${nowMs}` };
      }
      const sender = isKnown ? known : { current: sample, previous: sample, windowSince: nowMs, zeros };
      if (!isKnown) {
        senders.set(name, sender);
        if (senders.size > MAXIMUM_SENDERS) senders.delete(senders.keys().next().value as string);
      }
      if (Math.abs(nowMs - sender.windowSince) >= WINDOW_MS) {
        sender.previous = sender.current;
        sender.current = sample;
        sender.windowSince = nowMs;
      }
      sender.current = Math.min(sender.current, sample);
      const ahead = Math.min(sender.current, sender.previous);
      return { aheadMs: isNear(ahead) ? 0 : ahead, question: null };
    },
  };
}

function isNear(differenceMs: number): boolean {
  return Math.abs(differenceMs) < TOLERANCE_MS;
}

function wasSet(before: Zeros, now: Zeros): boolean {
  return !isNear(now.theirs - before.theirs) || !isNear(now.ours - before.ours);
}
