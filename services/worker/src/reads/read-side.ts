// The read side of a worker: gates, budgets and caches around the read handlers.
import { publishControl } from '@taskgraph/bus/events/control';
import type { Bus } from '@taskgraph/bus/nats/connect';
import { createSurvey } from '@taskgraph/bus/requests/status';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { withGroupedMessageReads } from '@taskgraph/graph-store/webhooks/message-reads';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import type { WorkerConfiguration } from '../configuration.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { createReadDispatcher } from '../read-dispatcher.ts';
import { createSharedSurvey } from '../status/shared-survey.ts';
import { createAccessReads } from './access-reads.ts';
import { createLinkIdsCache } from './cache/link-ids.ts';
import { createPageCache } from './cache/page-cache.ts';
import { createPlanCache } from './cache/plans.ts';
import { createNodeIndexes } from './find/node-indexes.ts';
import { createPageBudget } from './page-budget.ts';
import { createReadGates } from './read-gates.ts';
import { nowOf } from './read-handler.ts';
import { createRecentBatches } from './webhooks/recent-batches.ts';

interface ReadDependencies {
  readonly config: WorkerConfiguration;
  readonly database: Database;
  readonly bus: Bus;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly counters: WorkerMetrics['counters'];
  /** A counter that grows with all other work of the worker. */
  readonly otherWork: () => number;
}

/** The caches share `KEPT_PAGES_BYTES`: link ids and plans are small beside pages. */
const LINK_IDS_PART = 1 / 8;
const PLANS_PART = 1 / 4;

export function createReadSide({ config, database, bus, nowMs, log, counters, otherWork }: ReadDependencies) {
  const pages = createPageBudget({
    pageBytes: config.PAGE_BYTES,
    budgetBytes: config.PAGES_BYTES,
    waitMs: config.PAGE_WAIT_MS,
  });
  const pageCache = createPageCache(config.KEPT_PAGES_BYTES);
  const linkIds = createLinkIdsCache(config.KEPT_PAGES_BYTES * LINK_IDS_PART);
  const plans = createPlanCache(config.KEPT_PAGES_BYTES * PLANS_PART);
  const nodeIndexes = createNodeIndexes(config.SEARCH_INDEX_BYTES);
  const environment = {
    database,
    secret: config.TASKGRAPH_SECRET,
    nowMs,
    pages,
    pageCache,
    linkIds,
    plans,
    nodeIndexes,
    recentBatches: createRecentBatches(),
    groupedDatabase: withGroupedMessageReads(database),
    readAccess: createAccessReads((reader) => readReaderAccess(database, reader, nowOf({ nowMs }))),
    publishControl: (control: ControlMessage) => counters.lost.inc(publishControl(bus, control)),
    survey: createSharedSurvey(createSurvey(bus)),
    onUnproven: ({ event, traceId }: ReadMessage) =>
      log.error({ event, traceId }, 'an account operation does not have the TASKGRAPH_SECRET of this worker'),
    onBusy: (error: unknown, { event, traceId }: ReadMessage) =>
      log.warn({ error, event, traceId }, 'the database did not answer a read in time'),
  };
  const gates = createReadGates({
    atOnce: config.READS_AT_ONCE,
    waiting: config.WAITING_READS,
    nowMs,
    otherWork,
    onRefused: () => counters.readsRefused.inc(),
  });
  return {
    read: createReadDispatcher({ gates, environment, log }),
    environment,
    gates,
    /** The sources of the metrics of reads. */
    metricSources: {
      waitingReads: gates.waiting,
      waitingHeavyReads: gates.waitingHeavy,
      pages,
      pageCache: { counts: pageCache.counts, bytes: () => pageCache.bytes() + linkIds.bytes() },
      nodeIndexes,
    },
  };
}
