// Repeats a round that repairs lost messages. A failed round is logged, and the next one runs as
// usual.
import { setTimeout as sleep } from 'node:timers/promises';

interface PeriodicOptions {
  readonly intervalMs: number;
  /** One round; the signal aborts when the gateway stops. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  readonly log: { error(fields: object, message: string): void };
}

export interface Periodic {
  /** Resolves when the current round is over. */
  stop(): Promise<void>;
}

/** The first round starts after one interval. */
export function repeat({ intervalMs, round, log }: PeriodicOptions): Periodic {
  const ending = new AbortController();
  const { signal } = ending;
  const run = async () => {
    for (;;) {
      // With jitter, so that gateways that started together do not keep asking at the same time.
      const waitMs = intervalMs * (0.75 + Math.random() / 2);
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await round(signal).catch((error: unknown) => log.error({ error }, 'a periodic round failed'));
    }
  };
  const running = run();
  return {
    async stop() {
      ending.abort();
      await running;
    },
  };
}
