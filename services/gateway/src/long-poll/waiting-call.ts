// One waiting call: the signals that wake it, and the events that end it early. Rule: LONG1.
import type { Refusal } from '@taskgraph/wire/errors';

/**
 * - `gone`: the client has disconnected.
 * - `drained`: the gateway stops.
 * - `late`: the time is up, and the last read takes too long.
 * - a refusal: the token has ended.
 */
export type Ending = 'gone' | 'drained' | 'late' | Refusal;

/** Wraps an ending, because the outcome of a read may also be a refusal. */
export interface Ended {
  readonly ending: Ending;
}

/** How long the last read may take. After the longest wait, proxies still accept its answer. */
const LAST_READ_MS = 3_000;

type Signal = 'moved' | 'over' | Ended;

export interface WaitingLog {
  error(fields: object, message: string): void;
}

export class WaitingCall {
  readonly #log: WaitingLog;
  #timer: NodeJS.Timeout;
  #isOver = false;
  #ended: Ended | null = null;
  /** Resolves the promise that the call waits for; null between two waits. */
  #notify: ((signal: Signal) => void) | null = null;
  #waitedMs = 0;

  constructor(waitMs: number, log: WaitingLog) {
    this.#log = log;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#timer = setTimeout(() => this.end('late'), LAST_READ_MS);
      this.#notify?.('over');
    }, waitMs);
  }

  /** Whether its time is up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get ended(): Ended | null {
    return this.#ended;
  }

  /** The time spent waiting so far, without reads. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  readonly wake = (): void => this.#notify?.('moved');

  /** Ends the call; only the first ending counts. */
  end(ending: Ending): void {
    this.#ended ??= { ending };
    this.#notify?.(this.#ended);
  }

  /** Waits for a change, for the end of its time, or for its ending. */
  async next(): Promise<Signal> {
    if (this.#ended !== null) return this.#ended;
    if (this.#isOver) return 'over';
    const sinceMs = performance.now();
    const signal = await this.#signal();
    this.#waitedMs += performance.now() - sinceMs;
    return signal;
  }

  /** Waits for the turn to read, but no longer than until the time is up or the call ends. */
  async untilTurn(ready: Promise<void>): Promise<void> {
    if (this.#ended !== null || this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#notify = (signal) => {
        if (signal !== 'moved') resolve();
      };
      void ready.then(resolve);
    });
    this.#notify = null;
  }

  /**
   * Returns the outcome of some work, or the ending if that comes first. In the second case the
   * work continues in the background, and a failure of it is only logged.
   */
  async during<T>(work: () => Promise<T>): Promise<T | Ended> {
    if (this.#ended !== null) return this.#ended;
    return new Promise((resolve, reject) => {
      this.#notify = (signal) => {
        if (typeof signal === 'object') resolve(signal);
      };
      work().then(
        (outcome) => {
          this.#notify = null;
          resolve(outcome);
        },
        (error: unknown) => {
          this.#notify = null;
          if (this.#ended !== null) this.#log.error({ error }, 'a read of an ended call failed');
          reject(error);
        },
      );
    });
  }

  /** Releases the timer. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #signal(): Promise<Signal> {
    return new Promise((resolve) => {
      this.#notify = (signal) => {
        this.#notify = null;
        resolve(signal);
      };
    });
  }
}

export function isEnded(outcome: unknown): outcome is Ended {
  return typeof outcome === 'object' && outcome !== null && 'ending' in outcome;
}
