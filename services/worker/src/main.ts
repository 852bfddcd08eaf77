// The worker: wiring only, top to bottom.
import { connectBus } from '@taskgraph/bus/nats/connect';
import { createLeases } from '@taskgraph/bus/partitions/lease';
import { createSenderClocks } from '@taskgraph/bus/requests/sender-clocks';
import { serveReads } from '@taskgraph/bus/requests/serve';
import { serveStatus } from '@taskgraph/bus/requests/status';
import { planGroups } from '@taskgraph/graph-store/commit/plan-warm-up';
import { readClock } from '@taskgraph/graph-store/driver/clock';
import { readHistoryForm } from '@taskgraph/graph-store/migration/history-form';
import { isMigrated } from '@taskgraph/graph-store/migration/migrations';
import { natsOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { runMonitoredService } from '@taskgraph/runtime/service/monitored-service';
import { createReporter } from '@taskgraph/runtime/service/service-report';
import { createQueueClaims } from './claims/queue-claims.ts';
import { createClock, steadyMs } from './commit/clock.ts';
import { startCommitPipeline } from './commit/commit-pipeline.ts';
import { configuration } from './configuration.ts';
import { openPools } from './database-pools.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createPartitionServer } from './partition-server.ts';
import { createReadSide } from './reads/read-side.ts';

const config = readConfig(configuration, process.env);
await runMonitoredService({
  name: 'worker',
  instance: config.WORKER_ID,
  config,
  async start(log) {
    const workerMetrics = createWorkerMetrics();
    const { metrics, counters, watch } = workerMetrics;
    const { database, readDatabase, watchDatabase } = openPools(config, (pool) => counters.statements.inc({ pool }));
    const { version } = await watchDatabase.verify();
    if (!(await isMigrated(database)))
      throw new Error(
        'the database is not migrated, is of a later release, or an import into it broke off: see docs/operations.md',
      );
    const historyForm = await readHistoryForm(database);
    const clock = createClock({ databaseMs: () => readClock(watchDatabase), machineMs: steadyMs, log });
    await clock.start();
    await planGroups(database);
    log.info({ version }, 'Neo4j answers');
    const bus = await connectBus({ ...natsOptions(config), name: config.WORKER_ID, service: 'worker', log });

    const { nowMs } = clock;
    const otherWork = () => pipeline.scheduler.delivered();
    const readSide = createReadSide({ config, database: readDatabase, bus, nowMs, log, counters, otherWork });
    const { read, metricSources, environment, gates } = readSide;
    const claims = createQueueClaims({ ...environment, log, gates });
    const pipeline = startCommitPipeline({ config, database, historyForm, bus, clock, log, workerMetrics, claims });
    const { scheduler, graphCache, onLate } = pipeline;

    const servingOptions = { clocks: createSenderClocks(), nowMs, onLate };
    const reads = serveReads(bus, read, servingOptions);
    const partitions = createPartitionServer(bus, { command: pipeline.handle, read }, servingOptions);
    const end = (partition: number, change: 'released' | 'lost') => {
      counters.leases.inc({ change });
      return partitions.stop(partition);
    };
    const leases = createLeases(bus, {
      workerId: config.WORKER_ID,
      replicas: config.NATS_REPLICAS,
      log,
      async acquire(partition, take) {
        counters.leases.inc({ change: 'acquired' });
        partitions.start(partition, take);
      },
      release: (partition) => end(partition, 'released'),
      lost: (partition) => end(partition, 'lost'),
    });
    const reporter = createReporter({
      kind: 'worker',
      name: config.WORKER_ID,
      metrics,
      settings: configuration,
      environment: process.env,
      own: () => ({ leases: leases.table(), serves: leases.held() }),
    });
    const status = serveStatus(bus, reporter);
    const clockWatch = clock.watch();
    watch({
      ...metricSources,
      aheadMs: clock.aheadMs,
      waiting: scheduler.waiting,
      partitions: () => leases.held().length,
      cacheBytes: graphCache.bytes,
    });
    return {
      metrics,
      backends: { neo4j: () => watchDatabase.verify(), nats: bus.ping },
      async drain() {
        await leases.stop();
        await Promise.all([reads.stop(), partitions.readsEnded(), status.stop()]);
        await pipeline.drain();
        clockWatch.stop();
      },
      async close() {
        await bus.close();
        await Promise.all([database, readDatabase, watchDatabase].map((each) => each.close()));
      },
    };
  },
});
