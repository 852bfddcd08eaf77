// Warms up a database that has just started: until its code is compiled, statements take many times
// as long.
//
// 1. Rounds run only while no command of a user waits or commits.
// 2. A pause of twice a round's duration follows each round. Rounds end after a minute, or once
//    they get no faster.
// 3. Rounds start again when a database that was unreachable answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@taskgraph/runtime/telemetry/log';

const LONGEST_MS = 60_000;
/** Rounds in a row without a faster one after which the database counts as warm. */
const STEADY_ROUNDS = 10;
/** A round counts as faster if it takes less than this share of the fastest. */
const FASTER = 0.95;
const REST_FACTOR = 2;
const SHORTEST_REST_MS = 100;

interface WarmUpOptions {
  /** Runs the statements once, as long as `mayContinue` says so. Returns whether it ran all. */
  readonly round: (mayContinue: () => boolean) => Promise<boolean>;
  readonly log: Pick<Log, 'info'>;
}

export interface WarmUp {
  /** Starts the rounds. `isIdle` tells whether no command of a user waits or commits. */
  start(isIdle: () => boolean): void;
  /**
   * Wraps a regular statement. Its first success after a failure starts the rounds again, unless they
   * run.
   */
  watched<T>(look: () => Promise<T>): () => Promise<T>;
  /** No further statement is sent. Resolves when the one that runs is answered. */
  stop(): Promise<void>;
}

export function createWarmUp({ round, log }: WarmUpOptions): WarmUp {
  let isIdle: (() => boolean) | null = null;
  let isStopped = false;
  let isAway = false;
  let running: Promise<void> | null = null;

  const mayContinue = () => !isStopped && isIdle?.() === true;

  const runRounds = async () => {
    const startedAt = performance.now();
    let [rounds, fastestMs, steady] = [0, Number.POSITIVE_INFINITY, 0];
    while (!isStopped && steady < STEADY_ROUNDS && performance.now() - startedAt < LONGEST_MS) {
      const roundAt = performance.now();
      const isWhole = mayContinue() && (await round(mayContinue));
      const tookMs = performance.now() - roundAt;
      if (isWhole) {
        rounds++;
        steady = tookMs < fastestMs * FASTER ? 0 : steady + 1;
        fastestMs = Math.min(fastestMs, tookMs);
      }
      await sleep(Math.max(tookMs * REST_FACTOR, SHORTEST_REST_MS), undefined, { ref: false });
    }
    log.info({ rounds, fastestMs: Math.round(fastestMs), isWarm: steady >= STEADY_ROUNDS }, 'the database was warmed up');
  };

  const startRounds = () => {
    if (isStopped || isIdle === null) return;
    running ??= runRounds()
      .catch((error: unknown) => log.info({ error }, 'the database could not be warmed up'))
      .finally(() => {
        running = null;
      });
  };

  return {
    start(given) {
      isIdle = given;
      startRounds();
    },
    watched: (look) => async () => {
      try {
        const result = await look();
        if (isAway) startRounds();
        isAway = false;
        return result;
      } catch (error) {
        isAway = true;
        throw error;
      }
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
