// Estimates how far each sender's clock is from ours, since a deadline is given by the clock of its
// sender.

import { randomUUID } from 'node:crypto';

/**
 * Smaller differences between clocks, or changes of one, count as none: a message may take that
 * long on its way.
 */
const TOLERANCE_MS = 500;
/** Samples older than two windows don't count, since clocks get corrected. */
const WINDOW_MS = 10_000;
/**
 * Maximum number of senders. Above it the oldest is dropped, and its next message is measured
 * again.
 */
const MAXIMUM_SENDERS = 1_000;

interface SenderSamples {
  /**
   * Shortest time from sending to arrival by the two clocks, in this window and the previous one.
   */
  current: number;
  previous: number;
  windowSince: number;
  origins: ClockOrigins;
}

/**
 * The wall-clock time at which each side's monotonic clock was 0. It changes when the wall clock is
 * set or the machine sleeps.
 */
export interface ClockOrigins {
  readonly theirs: number;
  readonly ours: number;
}

const SAME: ClockOrigins = { theirs: 0, ours: 0 };

/** The parts of a message that bear on clocks. */
interface ClockReading {
  readonly sentAt: number;
  readonly nowMs: number;
  readonly origins?: ClockOrigins | undefined;
  /**
   * The token that the sender returns; null if it has none yet, undefined if it does not support
   * tokens.
   */
  readonly token?: string | null | undefined;
}

interface ClockOffset {
  /**
   * Milliseconds by which our clock is ahead of the sender's (negative: behind); 0 within the
   * tolerance.
   */
  readonly aheadMs: number;
  /**
   * Null if the offset is certain. Otherwise the message may simply be late, and this is a token to
   * answer it with. The sender repeats the message with the token, which proves that the repeat was
   * sent after the answer.
   */
  readonly question: string | null;
}

/** Remembers the clock offset of each sender. */
export interface SenderClocks {
  /**
   * How far our clock is ahead of the sender's. Each message is one more sample, sent at `sentAt`
   * and received at `nowMs`.
   *
   * A sample is the clock offset plus the time on the way, so the least of many samples is close to
   * the offset alone. This separates a message that waited while this process was paused from one
   * whose sender has another clock. The first message of a sender has no other to compare with, so
   * the sender is asked to repeat it. When either clock was set, measuring starts over.
   */
  offsetOf(sender: string, arrival: ClockReading): ClockOffset;
}

export function createSenderClocks(): SenderClocks {
  const senders = new Map<string, SenderSamples>();
  // A token of another worker proves nothing about our clock.
  const ownId = randomUUID();

  function isFresh(token: string, nowMs: number): boolean {
    const [by, givenAt] = token.split(' ');
    const ageMs = nowMs - Number(givenAt);
    return by === ownId && ageMs >= 0 && ageMs < TOLERANCE_MS;
  }

  return {
    offsetOf(name, { sentAt, nowMs, origins = SAME, token }) {
      const sample = nowMs - sentAt;
      const known = senders.get(name);
      const isKnown = known !== undefined && !wasSet(known.origins, origins);
      if (!isKnown && !isNear(sample) && !isFresh(token ?? '', nowMs)) {
        // Trust a sender that does not support tokens, but do not record its sample.
        return { aheadMs: sample, question: token === undefined ? null : `${ownId} ${nowMs}` };
      }
      const sender = isKnown ? known : { current: sample, previous: sample, windowSince: nowMs, origins };
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

function wasSet(before: ClockOrigins, now: ClockOrigins): boolean {
  return !isNear(now.theirs - before.theirs) || !isNear(now.ours - before.ours);
}
