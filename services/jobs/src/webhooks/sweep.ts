// Finds the webhooks that have something to deliver, in the database alone: Redis may have lost all
// jobs. Rules: HOOK6, HOOK10, HOOK14.
//
// 1. A sweep examines a bounded number of webhooks and of grants. The next one continues.
// 2. A part that fails stops no other part, and counts as lag.
import type { Database } from '@taskgraph/graph-store/driver/database';
import {
  type DueWebhook,
  lastOfPage,
  listReadyWebhooks,
  markDue,
  type ReadyWebhook,
  sumHeads,
} from '@taskgraph/graph-store/webhooks/due-webhooks';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { WEBHOOK_STATES, type WebhookState } from '@taskgraph/wire/webhooks/webhook-fields';
import { count } from '../metrics.ts';
import { createHeadSchedule, type UserHeads } from './head-schedule.ts';

/** Webhooks of one page. */
const PAGE = 250;
/** Maximum pages of each state in one sweep. */
const MAXIMUM_PAGES = 20;
/** Failed parts after which a sweep ends: each may have taken the time limit of a statement. */
const MOST_FAILURES = 3;
/** How long the lag of a sweep is reported: another service may do the following sweeps. */
const REPORTED_MS = 30_000;

interface SweepOptions {
  readonly database: Database;
  readonly add: (due: readonly DueWebhook[]) => Promise<void>;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly stopping: AbortSignal;
  /** Webhooks of one page. */
  readonly page?: number;
}

export interface WebhookSweep {
  /** Rejects if a part has failed, after all others. */
  run(): Promise<void>;
  /** Seconds for which the oldest message has been due, without webhooks that wait for their receiver or for a fault of the installation. */
  lagSeconds(): number;
}

/** One sweep. */
interface Sweep {
  /** The earliest moment since which something has been due, or not been checked. */
  oldestMs: number;
  failures: number;
  /** Webhooks whose feeds have to be checked. */
  readonly unclear: ReadyWebhook[];
}

export function createWebhookSweep(options: SweepOptions): WebhookSweep {
  const { database, log, nowMs, stopping, page: limit = PAGE } = options;
  /** The id after which the next sweep continues, by state. */
  const places = new Map<WebhookState, string>();
  /** Since when each sweep of a state has had a failure. */
  const failingSince = new Map<WebhookState, number>();
  const schedule = createHeadSchedule(nowMs);
  let lag = { seconds: 0, atMs: Number.NEGATIVE_INFINITY };
  const now = () => new Date(nowMs()).toISOString();

  /** Executes a part; null if it fails. */
  async function attempt<T>(sweep: Sweep, part: object, work: () => Promise<T>): Promise<{ readonly value: T } | null> {
    try {
      return { value: await work() };
    } catch (error) {
      sweep.failures++;
      count('webhooks', 'failed');
      log.warn({ error, ...part }, 'a part of the search for due webhooks failed');
      return null;
    }
  }

  async function addDue(sweep: Sweep, due: readonly ReadyWebhook[]): Promise<void> {
    if (due.length === 0) return;
    count('webhooks', 'found', due.length);
    const healthy = due.filter(({ isHealthy }) => isHealthy);
    for (const { dueSinceMs } of healthy) if (dueSinceMs > 0) sweep.oldestMs = Math.min(sweep.oldestMs, dueSinceMs);
    await options.add(due.map(({ id, isSlow = false, isInactive = false }) => ({ id, isSlow, isInactive })));
    const unmarked = healthy.filter(({ dueSinceMs }) => dueSinceMs === 0).map(({ id }) => id);
    await markDue(database, unmarked);
  }

  async function examineState(sweep: Sweep, state: WebhookState): Promise<void> {
    const failuresBefore = sweep.failures;
    let after = places.get(state) ?? '';
    for (let pages = 0; pages < MAXIMUM_PAGES && !stopping.aborted && sweep.failures < MOST_FAILURES; pages++) {
      const page = { state, after, limit, now: now() };
      const found = await attempt(sweep, { state, after }, () => listReadyWebhooks(database, page));
      const { ready, next } = found?.value ?? {
        ready: [],
        next: (await attempt(sweep, { state, after }, () => lastOfPage(database, page)))?.value ?? null,
      };
      await attempt(sweep, { state, after }, () =>
        addDue(
          sweep,
          ready.filter(({ isDue }) => isDue),
        ),
      );
      sweep.unclear.push(...ready.filter(({ isDue }) => !isDue));
      after = next ?? '';
      if (next === null) break;
    }
    places.set(state, after);
    if (sweep.failures === failuresBefore) failingSince.delete(state);
    else if (!failingSince.has(state)) failingSince.set(state, nowMs());
  }

  async function compareHeads(sweep: Sweep, users: readonly UserHeads[]): Promise<void> {
    const ids = users.map(({ userId }) => userId);
    const done = await attempt(sweep, { users: ids.slice(0, 3), count: ids.length }, async () => {
      const sums = await sumHeads(database, { users: ids, now: now() });
      const webhooks = users.flatMap((one) => one.webhooks);
      await addDue(
        sweep,
        webhooks.filter(({ userId, headsSum }) => sums.has(userId) && sums.get(userId) !== headsSum),
      );
    });
    for (const user of users) schedule.note(user, done !== null);
  }

  return {
    async run() {
      const sweep: Sweep = { oldestMs: nowMs(), failures: 0, unclear: [] };
      try {
        for (const state of WEBHOOK_STATES) await examineState(sweep, state);
        for (const users of schedule.choose(sweep.unclear)) {
          if (stopping.aborted || sweep.failures >= MOST_FAILURES) break;
          await compareHeads(sweep, users);
        }
      } finally {
        const oldestMs = Math.min(sweep.oldestMs, schedule.oldestMs(), ...failingSince.values());
        lag = { seconds: Math.max(0, (nowMs() - oldestMs) / 1_000), atMs: nowMs() };
      }
      if (sweep.failures > 0) throw new Error(`${sweep.failures} parts of the search for due webhooks failed`);
    },
    lagSeconds: () => (nowMs() - lag.atMs <= REPORTED_MS ? lag.seconds : 0),
  };
}
