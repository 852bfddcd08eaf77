// The worker's clock, corrected by the clock of the database, so that a wrong clock of one worker
// does not enter stored times. Rules: ACL5, HIS7.
import { setInterval as repeat } from 'node:timers';
import type { Log } from '@taskgraph/runtime/telemetry/log';

/** Smaller differences are not corrected. */
const TOLERANCE_MS = 1_000;
const LOOK_EVERY_MS = 5_000;
/** A slower answer is too imprecise to use. */
const LONGEST_LOOK_MS = 1_000;

interface ClockOptions {
  /** Asks the database for its time, milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** The clock of the machine. It should not jump between two looks. */
  readonly machineMs: () => number;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export interface Clock {
  /** Milliseconds since 1970, corrected if the machine is wrong by more than a second. */
  nowMs(): number;
  /** The last difference to the database in milliseconds; negative if the machine is behind. */
  aheadMs(): number;
  /** Compares the clocks. Does not reject: on failure the last difference stays. */
  look(): Promise<void>;
  /** Compares the clocks repeatedly, until it is stopped. */
  watch(): { stop(): void };
}

/** Milliseconds since 1970, by a monotonic clock: setting the system's clock does not move it. */
export function steadyMs(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

export function createClock({ ask, machineMs, log }: ClockOptions): Clock {
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
