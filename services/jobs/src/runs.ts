// The periodic runs over the whole database: their actions and intervals.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ConfigOf } from '@taskgraph/runtime/service/config';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { expireEndedClaims } from './claim-expiry.ts';
import type { configuration } from './configuration.ts';
import { sweep } from './expiry.ts';
import { deleteHistory, deleteImports, retireClaims, retireRows, rewriteDeleted } from './maintenance.ts';
import type { ScheduledKind } from './metrics.ts';
import type { Schedules } from './queues.ts';
import type { SendAsSystem } from './system-commands.ts';
import { purgeTrash } from './trash-purge.ts';
import { deleteOldWebhooks } from './webhooks/old-webhooks.ts';

/** A sweep looks ahead this many intervals, so that it finds each end before it is due. */
const SWEEP_OVERLAP = 1.5;

type Config = Pick<
  ConfigOf<typeof configuration>,
  | 'TRASH_RETENTION_DAYS'
  | 'HISTORY_RETENTION_DAYS'
  | 'SWEEP_INTERVAL_MS'
  | 'REWRITE_INTERVAL_MS'
  | 'RETENTION_INTERVAL_MS'
  | 'WEBHOOK_SWEEP_INTERVAL_MS'
>;

interface RunContext {
  readonly config: Config;
  readonly database: Database;
  readonly send: SendAsSystem;
  readonly require: (expirations: readonly Expiration[]) => Promise<void>;
  readonly sweepWebhooks: () => Promise<void>;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly stopping: AbortSignal;
}

/** Interval of each run in milliseconds; a retention of 0 days disables its run. */
export function schedulesOf(config: Config): Schedules {
  const { SWEEP_INTERVAL_MS: sweepMs, REWRITE_INTERVAL_MS: rewriteMs, RETENTION_INTERVAL_MS: retentionMs } = config;
  return {
    sweep: sweepMs,
    webhooks: config.WEBHOOK_SWEEP_INTERVAL_MS,
    rewrite: rewriteMs,
    retire: retentionMs,
    ...(config.TRASH_RETENTION_DAYS > 0 ? { trash: retentionMs } : {}),
    ...(config.HISTORY_RETENTION_DAYS > 0 ? { history: retentionMs } : {}),
  };
}

/** Creates the function that executes one run of a kind. */
export function createRuns(running: RunContext): (kind: ScheduledKind) => Promise<void> {
  const { config, database, stopping } = running;
  const moment = (awayMs: number) => new Date(running.nowMs() + awayMs).toISOString();
  return async (kind) => {
    switch (kind) {
      case 'sweep':
        await sweep(database, moment(config.SWEEP_INTERVAL_MS * SWEEP_OVERLAP), running);
        return expireEndedClaims(running, moment(0));
      case 'webhooks':
        return running.sweepWebhooks();
      case 'trash':
        // A run scheduled before it was disabled may still arrive.
        if (config.TRASH_RETENTION_DAYS > 0) await purgeTrash(running, moment(-config.TRASH_RETENTION_DAYS * DAY_MS));
        return;
      case 'history':
        if (config.HISTORY_RETENTION_DAYS > 0)
          await deleteHistory(database, moment(-config.HISTORY_RETENTION_DAYS * DAY_MS), stopping);
        return;
      case 'rewrite':
        return rewriteDeleted(database, stopping);
      case 'retire':
        await retireRows(database, stopping);
        await deleteImports(database, running.nowMs(), stopping);
        await retireClaims(database, moment(0), stopping);
        return deleteOldWebhooks(database, running.nowMs(), stopping);
    }
  };
}
