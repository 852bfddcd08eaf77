// The commit side of a worker: from a command message to its committed group.
import { publishControl } from '@taskgraph/bus/events/control';
import { publishExpirations } from '@taskgraph/bus/events/expiration-messages';
import { publishPackedSlices, publishSlices } from '@taskgraph/bus/events/slices';
import type { Bus } from '@taskgraph/bus/nats/connect';
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { neo4jOptions } from '@taskgraph/runtime/service/backends';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { WorkerConfiguration } from '../configuration.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { createGraphCache, type GraphCache } from './cache/graph-cache.ts';
import type { Clock } from './clock.ts';
import { createCommandHandler, type QueueClaims } from './command-handler.ts';
import { createCommitter, PARTS_AT_ONCE } from './committer.ts';
import type { GroupEnvironment } from './group-environment.ts';
import { groupModes } from './group-modes.ts';
import { createScheduler, type Scheduler, SLOT_SHARE, USER_SHARES } from './group-scheduler.ts';
import { type LargeThread, openLargeThread } from './large/thread-client.ts';
import { createOwnerCache } from './owner-cache.ts';

export interface CommitDependencies {
  readonly config: WorkerConfiguration;
  readonly database: Database;
  readonly historyForm: HistoryForm;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly workerMetrics: WorkerMetrics;
  /** Finds the candidates of claims without an id. */
  readonly claims: QueueClaims;
}

export interface CommitPipeline {
  readonly handle: ReturnType<typeof createCommandHandler>;
  readonly scheduler: Scheduler;
  readonly graphCache: GraphCache;
  /** Called for each command or read whose deadline passed. */
  readonly onLate: () => void;
  /** Resolves when every accepted command is answered. */
  drain(): Promise<void>;
}

type Reports = Pick<GroupEnvironment, 'onUnpublished'> &
  Required<Pick<GroupEnvironment, 'onLate' | 'onFailure' | 'onAhead'>>;

/** Starts the thread for large commands. `drain` ends it. */
export function startCommitPipeline(dependencies: CommitDependencies): CommitPipeline {
  const { config, clock, workerMetrics } = dependencies;
  const reports = createReports(dependencies);
  const large = openLarge(dependencies, reports);
  const graphCache = createGraphCache(config.REMEMBERED_BYTES);
  const committer = createGroupCommitter(dependencies, graphCache, reports);
  const scheduler = createScheduler({
    concurrency: config.COMMIT_CONCURRENCY,
    partConcurrency: PARTS_AT_ONCE,
    groupSize: config.GROUP_COMMANDS,
    slotShare: Math.ceil(config.GROUP_COMMANDS * SLOT_SHARE),
    groupBytes: config.GROUP_BYTES,
    waitingCommands: config.WAITING_COMMANDS,
    waitingBytes: config.WAITING_BYTES,
    userShares: USER_SHARES,
    largeCommands: config.ALONE_COMMANDS,
    largeBytes: config.ALONE_BYTES,
    nowMs: clock.nowMs,
    onLate: reports.onLate,
    commit: workerMetrics.timed(committer.commit),
    commitPart: workerMetrics.timed(committer.commitPart),
    commitLarge: large.commit,
  });
  return {
    handle: createCommandHandler(scheduler, dependencies.claims),
    scheduler,
    graphCache,
    onLate: reports.onLate,
    async drain() {
      await scheduler.idle();
      await large.stop();
    },
  };
}

function createReports({ workerMetrics: { counters }, log }: CommitDependencies): Reports {
  return {
    onLate: () => counters.late.inc(),
    onFailure: (failure) => counters.failures.inc({ failure }),
    onAhead(aheadMs) {
      counters.ahead.inc();
      log.debug({ aheadMs }, 'the newest batch of an owner is later than now');
    },
    onUnpublished(error) {
      counters.lost.inc();
      log.error({ error }, 'a committed group could not be published');
    },
  };
}

function openLarge(
  { config, historyForm, bus, clock, log, workerMetrics }: CommitDependencies,
  reports: Reports,
): LargeThread {
  const { counters } = workerMetrics;
  return openLargeThread({
    settings: {
      neo4j: neo4jOptions(config),
      entities: config.COMMAND_ENTITIES,
      historyForm,
      name: config.WORKER_ID,
      logLevel: config.LOG_LEVEL,
    },
    memoryMb: config.ALONE_MEMORY_MB,
    log,
    ...reports,
    aheadMs: () => Date.now() - clock.nowMs(),
    publish({ slices, count, control, expirations }) {
      counters.slices.inc(count);
      counters.lost.inc(
        publishControl(bus, control) + publishPackedSlices(bus, () => slices) + publishExpirations(bus, expirations),
      );
    },
  });
}

function createGroupCommitter(
  { config, database, historyForm, bus, clock, log, workerMetrics }: CommitDependencies,
  graphCache: GraphCache,
  reports: Reports,
) {
  const { counters, timedCommits } = workerMetrics;
  return createCommitter(
    {
      database: timedCommits(database),
      owners: createOwnerCache(),
      graphCache,
      newId: createIdFactory({ nowMs: clock.nowMs }),
      nowMs: clock.nowMs,
      historyForm,
      newToken: newPublicToken,
      ...reports,
      onCacheOutcome: (outcome) => counters.cacheOutcomes.inc({ outcome }),
      publish(slices, control, expirations) {
        counters.slices.inc(slices.length);
        counters.lost.inc(
          publishControl(bus, control) + publishSlices(bus, slices) + publishExpirations(bus, expirations),
        );
      },
    },
    groupModes(config.COMMAND_ENTITIES),
    log,
  );
}
