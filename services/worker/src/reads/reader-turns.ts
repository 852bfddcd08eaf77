// Bounds the reads in progress, in total and for each reader. Waiting readers take turns, so one
// reader's large pages delay no other. Heavy readers share a small part of the capacity: one of
// their pages costs the database as much as a hundred small ones. Small reads of one reader that wait
// take a turn together, and so share the read of the reader's access (`access-reads.ts`).
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { FairQueue } from '../fair-queue.ts';

interface ReaderTurnsOptions {
  /** Most reads in progress. */
  readonly atOnce: number;
  /** Most waiting reads. Further ones are refused as `unavailable`. */
  readonly waiting: number;
  readonly nowMs: () => number;
  /** A counter that grows with all other work of the worker. */
  readonly otherWork: () => number;
}

/** A read as its turn sees it. */
interface TurnRead<T> {
  readonly work: () => Promise<T>;
  /** The length of an answer. */
  readonly bytesOf: (answer: T) => number;
  /** Whether it may take a turn together with others of its kind. */
  readonly isSmall?: boolean;
}

/** A read that waits for its turn. */
interface WaitingRead {
  readonly isSmall: boolean;
  readonly start: (end: End) => void;
}

/** Ends a read that took this number of milliseconds, and starts others. */
type End = (tookMs: number) => void;

/** One reader's share: a quarter of the reads in progress, and a tenth of the waiting ones. */
const READER_PART_AT_ONCE = 4;
const READER_PART_WAITING = 10;

/** Most small reads of one reader in a turn. */
const SMALL_READS_IN_TURN = 4;

/** The common share of all heavy readers of the reads in progress. */
const HEAVY_PART_AT_ONCE = 8;
/**
 * A reader is heavy after about one long page; the load fades over this time. It counts bytes and
 * not time: on a busy database small pages take long too, and their readers are not the cause.
 */
const FADE_MS = 10_000;
const HEAVY_BYTES = 4 * 1024 * 1024;
/**
 * After a heavy read beside other work, the heavy share pauses for a multiple of the read's
 * duration, at most for this long. The processors are then free for other readers.
 */
const RESTS = 3;
const LONGEST_REST_MS = 2_000;
/** The number of readers whose load is recorded; the latest ones. */
const RECORDED_READERS = 10_000;

export interface ReaderTurns {
  /** Runs a read on its reader's turn. Reads of one reader keep their order, and readers take turns. */
  take<T>(reader: string, read: TurnRead<T>): Promise<T | Refusal>;
  /** Waiting reads. */
  waiting(): number;
  /** Waiting reads of heavy readers. */
  waitingHeavy(): number;
}

export function createReaderTurns({ atOnce, waiting, nowMs, otherWork }: ReaderTurnsOptions): ReaderTurns {
  const ofOne = {
    atOnce: Math.max(1, Math.floor(atOnce / READER_PART_AT_ONCE)),
    waiting: Math.ceil(waiting / READER_PART_WAITING),
  };
  const heavyAtOnce = Math.max(1, Math.floor(atOnce / HEAVY_PART_AT_ONCE));
  const queue = new FairQueue<WaitingRead>();
  const running = new Map<string, number>();
  const shares = createShares(nowMs);
  let runningCount = 0;
  let runningHeavy = 0;
  let lightBegun = 0;

  const runningOf = (reader: string) => running.get(reader) ?? 0;
  const mayStart = (reader: string) =>
    runningCount < atOnce &&
    runningOf(reader) < ofOne.atOnce &&
    (runningHeavy < heavyAtOnce || !shares.isHeavy(reader));

  function begin(reader: string): End {
    const isHeavy = shares.isHeavy(reader);
    runningCount++;
    if (isHeavy) runningHeavy++;
    else lightBegun++;
    const before = otherWork() + lightBegun;
    running.set(reader, runningOf(reader) + 1);
    return (tookMs) => {
      runningCount--;
      if (runningOf(reader) > 1) running.set(reader, runningOf(reader) - 1);
      else running.delete(reader);
      if (isHeavy) void rest(otherWork() + lightBegun === before ? 0 : RESTS * tookMs);
      startNext();
    };
  }

  async function rest(durationMs: number): Promise<void> {
    if (durationMs > 0) await sleep(Math.min(durationMs, LONGEST_REST_MS));
    runningHeavy--;
    startNext();
  }

  function startNext(): void {
    for (const reader of queue.keys()) {
      if (runningCount >= atOnce) return;
      if (mayStart(reader)) startTurn(reader);
    }
  }

  function startTurn(reader: string): void {
    const reads = nextReadsOf(reader);
    const end = endOfAll(begin(reader), reads.length);
    for (const { start } of reads) start(end);
  }

  /** The first read that waits, and the small ones right behind it if it is small too. */
  function nextReadsOf(reader: string): readonly WaitingRead[] {
    const reads: WaitingRead[] = [];
    const most = shares.isHeavy(reader) ? 1 : SMALL_READS_IN_TURN;
    do {
      const read = queue.shiftOf(reader);
      if (read !== undefined) reads.push(read);
    } while (reads.length < most && reads[0]?.isSmall && queue.firstOf(reader)?.isSmall);
    return reads;
  }

  function wait(reader: string, isSmall: boolean): Promise<End> | Refusal {
    if (queue.sizeOf(reader) >= ofOne.waiting) return tooManyOfOne;
    if (queue.size >= waiting) return tooMany;
    return new Promise((start) => queue.push(reader, { isSmall, start }));
  }

  return {
    async take(reader, { work, bytesOf, isSmall = false }) {
      // Earlier reads of the same reader go first.
      const turn = mayStart(reader) && queue.sizeOf(reader) === 0 ? begin(reader) : wait(reader, isSmall);
      if (isRefusal(turn)) return turn;
      const end = turn instanceof Promise ? await turn : turn;
      const startedAt = nowMs();
      let bytes = 0;
      try {
        const answer = await work();
        bytes = bytesOf(answer);
        return answer;
      } finally {
        const tookMs = nowMs() - startedAt;
        shares.note(reader, bytes);
        end(tookMs);
      }
    },
    waiting: () => queue.size,
    waitingHeavy() {
      let heavy = 0;
      for (const reader of queue.keys()) if (shares.isHeavy(reader)) heavy += queue.sizeOf(reader);
      return heavy;
    },
  };
}

/** Ends a turn when this number of reads has ended; the longest one counts. */
function endOfAll(end: End, reads: number): End {
  let left = reads;
  let longestMs = 0;
  return (tookMs) => {
    longestMs = Math.max(longestMs, tookMs);
    left--;
    if (left === 0) end(longestMs);
  };
}

/** The recent load of readers, as a share of the heavy limit. It fades with time. */
function createShares(nowMs: () => number) {
  const shares = new Map<string, { readonly share: number; readonly atMs: number }>();
  function shareOf(reader: string): number {
    const known = shares.get(reader);
    return known === undefined ? 0 : known.share * Math.exp(Math.min(0, known.atMs - nowMs()) / FADE_MS);
  }
  return {
    isHeavy: (reader: string) => shareOf(reader) >= 1,
    note(reader: string, bytes: number): void {
      const share = shareOf(reader) + bytes / HEAVY_BYTES;
      // The map is ordered by the last read.
      shares.delete(reader);
      shares.set(reader, { share, atMs: nowMs() });
      for (const oldest of shares.keys()) {
        if (shares.size <= RECORDED_READERS) break;
        shares.delete(oldest);
      }
    },
  };
}

const tooMany = refuse('unavailable', 'Too many pages are being read at once; try again in a moment.');
const tooManyOfOne = refuse('unavailable', 'Too many of your reads are already waiting; try again in a moment.');
