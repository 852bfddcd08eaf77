// Turns for readers: so many reads at once, so many of one reader, and those who wait take turns, so that nobody's large pages keep back
// the others. Those who had much lately share a small part of all turns: a page of theirs takes the database as long as a hundred small ones.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

interface Options {
  /** How many are done at once. */
  readonly atOnce: number;
  /** How many more may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
  readonly nowMs: () => number;
  /** A number that grows with whatever else the worker does for others. */
  readonly otherWork: () => number;
}

/** Ends a read that took so many milliseconds, and lets others start. */
type End = (tookMs: number) => void;

/** The share of one reader: a quarter of what is done at once, and a tenth of what waits. */
const PART_AT_ONCE = 4;
const PART_WAITING = 10;

/** The share of all that is done at once for those who had much lately, together. */
const HEAVY_PART_AT_ONCE = 8;
/**
 * Much is one long page: what is longer ago than this counts for little. Time does not count, since a busy database takes it for small pages
 * too, and their readers would be taken for the cause.
 */
const LATELY_MS = 10_000;
const MUCH_BYTES = 4 * 1024 * 1024;
/**
 * After a read of theirs beside which others had something to do, their turn rests for as often as long as it took, and no longer than this:
 * meanwhile processors are free for all others.
 */
const RESTS = 3;
const LONGEST_REST_MS = 2_000;
/** Readers who are remembered; those who read last. */
const REMEMBERED_READERS = 10_000;

export interface ReaderTurns {
  /**
   * Does the work when it is its turn: first come, first served among one reader's, and readers in turn. `bytesOf` tells how long the answer
   * is.
   */
  take<T>(reader: string, work: () => Promise<T>, bytesOf: (answer: T) => number): Promise<T | Refusal>;
  /** How many wait now. */
  waiting(): number;
  /** How many of these have readers who had much lately. */
  waitingHeavy(): number;
}

export function createReaderTurns({ atOnce, waiting, nowMs, otherWork }: Options): ReaderTurns {
  const ofOne = { atOnce: Math.max(1, Math.floor(atOnce / PART_AT_ONCE)), waiting: Math.ceil(waiting / PART_WAITING) };
  const heavyAtOnce = Math.max(1, Math.floor(atOnce / HEAVY_PART_AT_ONCE));
  /** By reader, those that wait; the reader whose turn is next comes first. */
  const queues = new Map<string, ((end: End) => void)[]>();
  const running = new Map<string, number>();
  const shares = createShares(nowMs);
  let runningCount = 0;
  let runningHeavy = 0;
  let lightBegun = 0;
  let waitingCount = 0;

  const runningOf = (reader: string) => running.get(reader) ?? 0;
  const mayStart = (reader: string) =>
    runningCount < atOnce &&
    runningOf(reader) < ofOne.atOnce &&
    (runningHeavy < heavyAtOnce || !shares.isHeavy(reader));

  /** Gives what ends it, to be called with how long it took. */
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
      startWhoMay();
    };
  }

  async function rest(durationMs: number): Promise<void> {
    if (durationMs > 0) await sleep(Math.min(durationMs, LONGEST_REST_MS));
    runningHeavy--;
    startWhoMay();
  }

  function startWhoMay(): void {
    for (const next of queues.keys()) {
      if (runningCount >= atOnce) return;
      if (mayStart(next)) startNextOf(next);
    }
  }

  /** Its turn is behind all others' then. */
  function startNextOf(reader: string): void {
    const queue = queues.get(reader) ?? [];
    queues.delete(reader);
    const start = queue.shift();
    if (queue.length > 0) queues.set(reader, queue);
    if (start === undefined) return;
    waitingCount--;
    start(begin(reader));
  }

  function wait(reader: string): Promise<End> | Refusal {
    const queue = queues.get(reader) ?? [];
    if (queue.length >= ofOne.waiting) return tooManyOfOne;
    if (waitingCount >= waiting) return tooMany;
    waitingCount++;
    queues.set(reader, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  return {
    async take(reader, work, bytesOf) {
      // A reader that waits already goes first.
      const turn = mayStart(reader) && !queues.has(reader) ? begin(reader) : wait(reader);
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
    waiting: () => waitingCount,
    waitingHeavy() {
      let heavy = 0;
      for (const [reader, queue] of queues) if (shares.isHeavy(reader)) heavy += queue.length;
      return heavy;
    },
  };
}

/** The recent load of readers, as a share of what is much: it fades with time. */
function createShares(nowMs: () => number) {
  const shares = new Map<string, { readonly share: number; readonly atMs: number }>();
  function shareOf(reader: string): number {
    const known = shares.get(reader);
    return known === undefined ? 0 : known.share * Math.exp(Math.min(0, known.atMs - nowMs()) / LATELY_MS);
  }
  return {
    isHeavy: (reader: string) => shareOf(reader) >= 1,
    note(reader: string, bytes: number): void {
      const share = shareOf(reader) + bytes / MUCH_BYTES;
      // A reader that reads goes to the end: the first have not read for longest.
      shares.delete(reader);
      shares.set(reader, { share, atMs: nowMs() });
      for (const oldest of shares.keys()) {
        if (shares.size <= REMEMBERED_READERS) break;
        shares.delete(oldest);
      }
    },
  };
}

const tooMany = refuse('unavailable', 'Too much is being read at once; try again in a moment.');
const tooManyOfOne = refuse('unavailable', 'Too many of your reads wait already; try again in a moment.');
