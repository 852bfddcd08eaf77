// The jobs service: wiring only, top to bottom.

import { serveExpirations } from '@taskgraph/bus/events/expiration-messages';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { systemSubject } from '@taskgraph/bus/nats/subjects';
import { createRequester } from '@taskgraph/bus/requests/request';
import { serveStatus } from '@taskgraph/bus/requests/status';
import { isMigrated } from '@taskgraph/graph-store/migration/migrations';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { natsOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { runMonitoredService } from '@taskgraph/runtime/service/monitored-service';
import { redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createReporter } from '@taskgraph/runtime/service/service-report';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import { configuration } from './configuration.ts';
import { openPools } from './database-pools.ts';
import { expire } from './expiry.ts';
import { metrics, reportWebhookLag, workUntilNow } from './metrics.ts';
import { openQueues } from './queues.ts';
import { createRuns, schedulesOf } from './runs.ts';
import { createSender } from './system-commands.ts';
import { createDeliveries } from './webhooks/deliveries.ts';
import { createWebhookSweep } from './webhooks/sweep.ts';

/** Milliseconds that work in progress has to finish after a stop signal. */
const COMMANDS_LIMIT_MS = 3_000;

const config = readConfig(configuration, process.env);
await runMonitoredService({
  name: 'jobs',
  instance: config.JOBS_ID,
  config,
  async start(log) {
    const pools = openPools(config);
    const { database, webhookDatabase } = pools;
    await database.verify();
    if (!(await isMigrated(database)))
      throw new Error(
        'the database is not migrated, is of a later release, or an import into it broke off: see docs/operations.md',
      );
    const bus = await connectBus({
      ...natsOptions(config),
      name: config.JOBS_ID,
      service: 'jobs',
      log,
    });
    const requester = createRequester(bus, systemSubject);
    const newId = createIdFactory();
    const send = createSender(requester, newId);
    const audit = createAudit(log);
    const stopping = new AbortController();
    const deliveries = createDeliveries({
      database: webhookDatabase,
      bus,
      requester,
      secrets: config.TASKGRAPH_SECRET,
      audit,
      log,
      newId: () => newId(randomSlot()),
      stopping: stopping.signal,
    });
    const sweepWebhooks = createWebhookSweep({
      database: webhookDatabase,
      add: (due) => queues.addWebhooks(deliveries.admit(due)),
      log,
      nowMs: Date.now,
      stopping: stopping.signal,
    });
    reportWebhookLag(sweepWebhooks.lagSeconds);
    const queues = openQueues({
      redis: redisOptions(config),
      prefix: config.QUEUE_PREFIX,
      expiriesAtOnce: config.EXPIRIES_AT_ONCE,
      waitingEnds: config.WAITING_ENDS,
      webhooksAtOnce: config.WEBHOOKS_AT_ONCE,
      schedules: schedulesOf(config),
      checkMs: Math.min(config.SWEEP_INTERVAL_MS, 30_000),
      log,
      expire: (due) => expire({ send, database, audit }, due),
      run: createRuns({
        config,
        database,
        send,
        log,
        nowMs: Date.now,
        stopping: stopping.signal,
        require: (expirations) => queues.require(expirations),
        sweepWebhooks: sweepWebhooks.run,
      }),
      deliver: deliveries.deliver,
    });
    const expirations = serveExpirations(bus, (ends) => queues.addExpirations(ends));
    const reporter = createReporter({
      kind: 'jobs',
      name: config.JOBS_ID,
      metrics,
      settings: configuration,
      environment: process.env,
      own: async () => ({ queues: await queues.lengths() }),
    });
    const status = serveStatus(bus, reporter);
    return {
      metrics,
      backends: { neo4j: () => database.verify(), nats: bus.ping, redis: queues.ping },
      async drain() {
        stopping.abort();
        log.info({ counters: await workUntilNow() }, 'results of jobs since the start');
        await Promise.all([expirations.stop(), status.stop()]);
        // An unanswered command must not hold the process beyond its limit; another service retries
        // the job.
        const giveUp = setTimeout(() => requester.stop(), COMMANDS_LIMIT_MS);
        await queues.stop();
        clearTimeout(giveUp);
        requester.stop();
      },
      async close() {
        await bus.close();
        await pools.close();
      },
    };
  },
});
