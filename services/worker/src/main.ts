// The worker: wiring only, top to bottom.

import { publishControl } from '@taskgraph/bus/events/control';
import { publishExpirations } from '@taskgraph/bus/events/expiration-messages';
import { publishPackedSlices, publishSlices } from '@taskgraph/bus/events/slices';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { createLeases } from '@taskgraph/bus/partitions/lease';
import { createSenderClocks } from '@taskgraph/bus/requests/sender-clocks';
import { type Serving, serveCommands, serveReads } from '@taskgraph/bus/requests/serve';
import { planGroups } from '@taskgraph/graph-store/commit/plan-warm-up';
import { readClock } from '@taskgraph/graph-store/driver/clock';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import { isMigrated } from '@taskgraph/graph-store/driver/migrations';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { natsOptions, neo4jOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { runWatchedService } from '@taskgraph/runtime/service/watched-service';
import type { ControlMessage, ReadMessage } from '@taskgraph/wire/messages';
import { createGraphCache } from './commit/cache/graph-cache.ts';
import { createClock, steadyMs } from './commit/clock.ts';
import { createCommandHandler } from './commit/command-handler.ts';
import { createCommitter, PARTS_AT_ONCE } from './commit/committer.ts';
import { groupModes } from './commit/group-modes.ts';
import { openLargeThread } from './commit/large/thread-client.ts';
import { createOwnerCache } from './commit/owner-cache.ts';
import { createScheduler, USER_SHARES } from './commit/scheduler.ts';
import { configuration } from './configuration.ts';
import { openPools } from './database-pools.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createReadDispatcher } from './read-dispatcher.ts';
import { createLinkIdsCache } from './reads/cache/link-ids.ts';
import { createPageCache } from './reads/cache/page-cache.ts';
import { createPlanCache } from './reads/cache/plans.ts';
import { createPageBudget } from './reads/page-budget.ts';
import { createReadGates } from './reads/read-gates.ts';

const config = readConfig(configuration, process.env);
await runWatchedService({
  ...{ name: 'worker', instance: config.WORKER_ID, config },
  async start(log) {
    const { metrics, counters, timed, timedCommits, watch } = createWorkerMetrics();
    const { database, readDatabase, watchDatabase } = openPools(config, (pool) => counters.statements.inc({ pool }));
    const { version } = await watchDatabase.verify();
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, or an import into it broke off: see docs/operations.md');
    const clock = createClock({ ask: () => readClock(watchDatabase), machineMs: steadyMs, log });
    await clock.look();
    await planGroups(database);
    log.info({ version }, 'Neo4j answers');
    const bus = await connectBus({
      ...natsOptions(config),
      name: config.WORKER_ID,
      service: 'worker',
      log,
    });
    const onLate = () => counters.late.inc();
    const onFailure = (failure: Failure) => counters.failures.inc({ failure });
    const onAhead = (aheadMs: number) => {
      counters.ahead.inc();
      log.debug({ aheadMs }, 'the newest batch of an owner is later than now');
    };
    const onUnpublished = (error: unknown) => {
      counters.lost.inc();
      log.error({ error }, 'a committed group could not be published');
    };
    const large = openLargeThread({
      settings: {
        neo4j: neo4jOptions(config),
        ...{ entities: config.COMMAND_ENTITIES, name: config.WORKER_ID, logLevel: config.LOG_LEVEL },
      },
      memoryMb: config.ALONE_MEMORY_MB,
      ...{ log, onLate, onFailure, onAhead, onUnpublished, aheadMs: () => Date.now() - clock.nowMs() },
      publish({ slices, count, control, expirations }) {
        counters.slices.inc(count);
        counters.lost.inc(
          publishControl(bus, control) + publishPackedSlices(bus, () => slices) + publishExpirations(bus, expirations),
        );
      },
    });
    const graphCache = createGraphCache(config.CACHE_BYTES);
    const committer = createCommitter(
      {
        database: timedCommits(database),
        owners: createOwnerCache(),
        graphCache,
        onCacheOutcome: (outcome) => counters.cacheOutcomes.inc({ outcome }),
        newId: createIdFactory({ nowMs: clock.nowMs }),
        nowMs: clock.nowMs,
        newToken: newPublicToken,
        onLate,
        onFailure,
        onAhead,
        publish: (slices, control, expirations) => {
          counters.slices.inc(slices.length);
          counters.lost.inc(
            publishControl(bus, control) + publishSlices(bus, slices) + publishExpirations(bus, expirations),
          );
        },
        onUnpublished,
      },
      groupModes(config.COMMAND_ENTITIES),
      log,
    );
    const scheduler = createScheduler({
      concurrency: config.COMMIT_CONCURRENCY,
      partConcurrency: PARTS_AT_ONCE,
      groupSize: config.GROUP_COMMANDS,
      groupBytes: config.GROUP_BYTES,
      waitingCommands: config.WAITING_COMMANDS,
      waitingBytes: config.WAITING_BYTES,
      userShares: USER_SHARES,
      largeCommands: config.ALONE_COMMANDS,
      largeBytes: config.ALONE_BYTES,
      nowMs: clock.nowMs,
      onLate,
      commit: timed(committer.commit),
      commitPart: timed(committer.commitPart),
      commitLarge: large.commit,
    });
    const handle = createCommandHandler(scheduler);
    const servingOptions = { clocks: createSenderClocks(), nowMs: clock.nowMs, onLate };
    const pages = createPageBudget({
      pageBytes: config.PAGE_BYTES,
      budgetBytes: config.PAGES_BYTES,
      waitMs: config.PAGE_WAIT_MS,
    });
    const kept = createPageCache(config.KEPT_PAGES_BYTES);
    const linkIds = createLinkIdsCache(config.KEPT_PAGES_BYTES / 8);
    const plans = createPlanCache(config.KEPT_PAGES_BYTES / 4);
    const environment = {
      database: readDatabase,
      secret: config.TASKGRAPH_SECRET,
      nowMs: clock.nowMs,
      pages,
      kept,
      linkIds,
      plans,
      tell: (control: ControlMessage) => counters.lost.inc(publishControl(bus, control)),
      onUnproven: ({ event, traceId }: ReadMessage) =>
        log.error({ event, traceId }, 'an account operation was asked without the TASKGRAPH_SECRET of this worker'),
      onBusy: (error: unknown, { event, traceId }: ReadMessage) =>
        log.warn({ error, event, traceId }, 'the database did not do a read in time'),
    };
    const gates = createReadGates({
      atOnce: config.READS_AT_ONCE,
      waiting: config.WAITING_READS,
      nowMs: clock.nowMs,
      otherWork: () => scheduler.delivered(),
      onRefused: () => counters.readsRefused.inc(),
    });
    const questions = createReadDispatcher({ gates, environment, log });
    const reads = serveReads(bus, questions, servingOptions);
    const serving = new Map<number, { readonly commands: Serving; readonly reads: Serving }>();
    const endingReads = new Set<Promise<void>>();
    const stopServing = async (partition: number) => {
      const served = serving.get(partition);
      serving.delete(partition);
      if (served === undefined) return;
      // Reads need no lease: a long page must not hold up the hand-over of the partition.
      const ending = served.reads.stop().finally(() => endingReads.delete(ending));
      endingReads.add(ending);
      await served.commands.stop();
    };
    const leases = createLeases(bus, {
      workerId: config.WORKER_ID,
      replicas: config.NATS_REPLICAS,
      log,
      async acquire(partition, take) {
        counters.leases.inc({ change: 'acquired' });
        serving.set(partition, {
          commands: serveCommands(bus, partition, (message, from) => handle(message, from, take()), servingOptions),
          reads: serveReads(bus, questions, { ...servingOptions, partition }),
        });
      },
      release(partition) {
        counters.leases.inc({ change: 'released' });
        return stopServing(partition);
      },
      lost(partition) {
        counters.leases.inc({ change: 'lost' });
        return stopServing(partition);
      },
    });
    const watching = clock.watch();
    watch({
      aheadMs: clock.aheadMs,
      waiting: scheduler.waiting,
      waitingReads: gates.waiting,
      waitingHeavyReads: gates.waitingHeavy,
      partitions: () => leases.held().length,
      pages,
      kept: { counts: kept.counts, bytes: () => kept.bytes() + linkIds.bytes() },
      cacheBytes: graphCache.bytes,
    });
    return {
      metrics,
      backends: { neo4j: () => watchDatabase.verify(), nats: bus.ping },
      async drain() {
        await leases.stop();
        await Promise.all([reads.stop(), ...endingReads]);
        await scheduler.idle();
        await large.stop();
        watching.stop();
      },
      async close() {
        await bus.close();
        await Promise.all([database, readDatabase, watchDatabase].map((each) => each.close()));
      },
    };
  },
});
