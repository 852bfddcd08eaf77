// The worker's clock, held to the database's: of workers there are many and of it there is one, so
// that a wrong clock of one of them does not get into what is stored. Rules: ACL5, HIS7.
import { setInterval as repeat } from 'node:timers';
import type { Log } from '@taskgraph/runtime/telemetry/log';

/** The clock of the machine counts as it is while it differs by less. */
const TOLERANCE_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
/** An answer that takes longer says too little of when it was given. */
const LONGEST_LOOK_MS = 1_000;

interface Options {
  /** Asks the database for its time, milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** The clock of the machine, which had better not jump between two looks. */
  readonly machineMs: () => number;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export interface Clock {
  /**
   * Milliseconds since 1970: those of the machine, less what they are wrong by where that is more
   * than a second.
   */
  nowMs(): number;
  /**
   * Milliseconds by which the machine is ahead of the database, as seen last; negative where it is
   * behind.
   */
  aheadMs(): number;
  /** Looks at the database's clock. It does not reject: what can't be seen stays as it was. */
  look(): Promise<void>;
  /** Looks again and again, until it is stopped. */
  watch(): { stop(): void };
}

/**
 * The clock of this machine as it was at the start, counted on since: it stays right where somebody
 * sets that one. Milliseconds since 1970.
 */
export function steadyMs(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

export function createClock({ ask, machineMs, log }: Options): Clock {
  let aheadMs = 0;
  const isWrong = () => Math.abs(aheadMs) > TOLERANCE_MS;

  const correctionMs = () => (isWrong() ? Math.round(aheadMs) : 0);

  const look = async () => {
    const [askedAt, startedAt] = [machineMs(), performance.now()];
    let there: number;
    try {
      there = await ask();
    } catch (error) {
      log.info({ error }, 'the clock of the database cannot be seen');
      return;
    }
    const tookMs = performance.now() - startedAt;
    if (tookMs > LONGEST_LOOK_MS) return;
    const wasWrong = isWrong();
    aheadMs = askedAt + tookMs / 2 - there;
    if (isWrong() && !wasWrong)
      log.warn({ aheadMs }, 'the clock of this machine is wrong: that of the database counts');
    if (!isWrong() && wasWrong) log.info({ aheadMs }, 'the clock of this machine is right again');
  };

  return {
    nowMs: () => machineMs() - correctionMs(),
    aheadMs: () => aheadMs,
    look,
    watch() {
      const timer = repeat(() => void look(), LOOK_EVERY_MS);
      return { stop: () => clearInterval(timer) };
    },
  };
}
