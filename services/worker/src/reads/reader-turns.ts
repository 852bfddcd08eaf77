// Turns for readers: so many reads at once, so many of one reader, and those who wait take turns, so that nobody's large pages keep back
// the others.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

interface Options {
  /** How many are done at once. */
  readonly atOnce: number;
  /** How many more may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
}

/** What one reader may have of all: a quarter of what is done at once, and a tenth of what waits. */
const PART_AT_ONCE = 4;
const PART_WAITING = 10;

export interface ReaderTurns {
  /** Does the work when it is its turn: first come, first served among one reader's, and readers in turn. */
  take<T>(reader: string, work: () => Promise<T>): Promise<T | Refusal>;
  /** How many wait now. */
  waiting(): number;
}

export function createReaderTurns({ atOnce, waiting }: Options): ReaderTurns {
  const ofOne = { atOnce: Math.max(1, Math.floor(atOnce / PART_AT_ONCE)), waiting: Math.ceil(waiting / PART_WAITING) };
  /** By reader, those that wait; the reader whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let runningCount = 0;
  let waitingCount = 0;

  const runningOf = (reader: string) => running.get(reader) ?? 0;
  const mayStart = (reader: string) => runningCount < atOnce && runningOf(reader) < ofOne.atOnce;

  function begin(reader: string): void {
    runningCount++;
    running.set(reader, runningOf(reader) + 1);
  }

  function end(reader: string): void {
    runningCount--;
    if (runningOf(reader) > 1) running.set(reader, runningOf(reader) - 1);
    else running.delete(reader);
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
    begin(reader);
    start();
  }

  function wait(reader: string): Promise<void> | Refusal {
    const queue = queues.get(reader) ?? [];
    if (queue.length >= ofOne.waiting) return tooManyOfOne;
    if (waitingCount >= waiting) return tooMany;
    waitingCount++;
    queues.set(reader, queue);
    return new Promise((resolve) => queue.push(resolve));
  }

  return {
    async take(reader, work) {
      // Whoever waits already goes first.
      if (mayStart(reader) && !queues.has(reader)) begin(reader);
      else {
        const turn = wait(reader);
        if (isRefusal(turn)) return turn;
        await turn;
      }
      try {
        return await work();
      } finally {
        end(reader);
      }
    },
    waiting: () => waitingCount,
  };
}

const tooMany = refuse('unavailable', 'Too much is being read at once; try again in a moment.');
const tooManyOfOne = refuse('unavailable', 'Too many of your reads wait already; try again in a moment.');
