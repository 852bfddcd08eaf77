// The worker's clock, corrected by the database's clock, so that stored times do not depend on a
// wrong clock of a machine. Rules: ACL5, HIS7, HISX2.
import { setInterval as repeat } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@taskgraph/runtime/telemetry/log';

/** Smaller differences are not corrected. */
const TOLERANCE_MS = 1_000;
const COMPARE_EVERY_MS = 5_000;
/** A slower answer is too imprecise to use. */
const SLOWEST_ANSWER_MS = 1_000;
/** Attempts of the first comparison, and the pause between them. */
const FIRST_ATTEMPTS = 30;
const FIRST_PAUSE_MS = 200;

interface ClockOptions {
  /** Reads the database's clock, milliseconds since 1970. */
  readonly databaseMs: () => Promise<number>;
  /** The clock of the machine. It should not jump between two comparisons. */
  readonly machineMs: () => number;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export interface Clock {
  /** Milliseconds since 1970, corrected if the machine is wrong by more than a second. */
  nowMs(): number;
  /** The last difference to the database in milliseconds; negative if the machine is behind. */
  aheadMs(): number;
  /**
   * Compares the clocks for the first time. Rejects if that fails repeatedly: a batch with a wrong
   * time could be skipped by readers who follow history (HISX2).
   */
  start(): Promise<void>;
  /** Compares the clocks. Does not reject: on failure the last difference stays. */
  compare(): Promise<void>;
  /** Compares the clocks repeatedly, until it is stopped. */
  watch(): { stop(): void };
}

/** Milliseconds since 1970, by a monotonic clock: setting the system's clock does not move it. */
export function steadyMs(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

export function createClock({ databaseMs, machineMs, log }: ClockOptions): Clock {
  let aheadMs = 0;
  const isWrong = () => Math.abs(aheadMs) > TOLERANCE_MS;

  const correctionMs = () => (isWrong() ? Math.round(aheadMs) : 0);

  /** Whether the comparison succeeded. */
  const compare = async () => {
    const [sentMs, startedAt] = [machineMs(), performance.now()];
    let readMs: number;
    try {
      readMs = await databaseMs();
    } catch (error) {
      log.info({ error }, "the database's clock could not be read");
      return false;
    }
    const tookMs = performance.now() - startedAt;
    if (tookMs > SLOWEST_ANSWER_MS) return false;
    const wasWrong = isWrong();
    aheadMs = sentMs + tookMs / 2 - readMs;
    if (isWrong() && !wasWrong) log.warn({ aheadMs }, "this machine's clock is wrong; the database's clock is used");
    if (!isWrong() && wasWrong) log.info({ aheadMs }, "this machine's clock is right again");
    return true;
  };

  return {
    nowMs: () => machineMs() - correctionMs(),
    aheadMs: () => aheadMs,
    async start() {
      for (let attempt = 0; attempt < FIRST_ATTEMPTS; attempt++) {
        if (await compare()) return;
        await setTimeout(FIRST_PAUSE_MS);
      }
      throw new Error("the database's clock could not be compared with this machine's");
    },
    async compare() {
      await compare();
    },
    watch() {
      const timer = repeat(() => void compare(), COMPARE_EVERY_MS);
      return { stop: () => clearInterval(timer) };
    },
  };
}
