// Finds the webhooks that have something to deliver, in the database alone: Redis may have lost all
// jobs. Rules: HOOK6, HOOK10.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type DueWebhook, listDueWebhooks } from '@taskgraph/graph-store/webhooks/webhook-runs';
import { WEBHOOK_STATES } from '@taskgraph/wire/webhooks/webhook-fields';
import { count } from '../metrics.ts';

/** Webhooks of one page. */
const PAGE = 500;
/** Maximum pages of each state in one sweep; the next sweep continues. */
const MAXIMUM_PAGES = 10;
/** How long the lag of a sweep is reported: another service may do the following sweeps. */
const REPORTED_MS = 30_000;

interface SweepOptions {
  readonly database: Database;
  readonly add: (due: readonly DueWebhook[]) => Promise<void>;
  readonly nowMs: () => number;
  readonly stopping: AbortSignal;
}

export interface WebhookSweep {
  run(): Promise<void>;
  /** Seconds for which the oldest message has been due, without webhooks whose receivers fail. */
  lagSeconds(): number;
}

export function createWebhookSweep({ database, add, nowMs, stopping }: SweepOptions): WebhookSweep {
  /** The id after which the next sweep continues, by state. */
  const places = new Map<string, string>();
  let lag = { seconds: 0, atMs: Number.NEGATIVE_INFINITY };
  return {
    async run() {
      const startedMs = nowMs();
      let oldestMs = startedMs;
      for (const state of WEBHOOK_STATES) {
        let after = places.get(state) ?? '';
        places.delete(state);
        for (let pages = 0; pages < MAXIMUM_PAGES && !stopping.aborted; pages++) {
          const now = new Date(nowMs()).toISOString();
          const { due, dueSinceMs, next } = await listDueWebhooks(database, { state, after, limit: PAGE, now });
          if (due.length > 0) await add(due);
          count('webhooks', 'found', due.length);
          oldestMs = Math.min(oldestMs, dueSinceMs ?? oldestMs);
          after = next ?? '';
          if (next === null) break;
          places.set(state, next);
        }
        if (after === '') places.delete(state);
      }
      lag = { seconds: Math.max(0, (startedMs - oldestMs) / 1_000), atMs: nowMs() };
    },
    lagSeconds: () => (nowMs() - lag.atMs <= REPORTED_MS ? lag.seconds : 0),
  };
}
