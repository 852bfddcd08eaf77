// The jobs service: wiring only, top to bottom.

import { serveExpirations } from '@taskgraph/bus/events/expirations';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { systemSubject } from '@taskgraph/bus/nats/subjects';
import { createRequester } from '@taskgraph/bus/requests/request';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { isMigrated } from '@taskgraph/graph-store/driver/migrations';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { openAdmin } from '@taskgraph/runtime/service/admin';
import { natsOptions, neo4jOptions, redisOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { countBackends, createHealth } from '@taskgraph/runtime/service/health';
import { runService } from '@taskgraph/runtime/service/lifecycle';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { startTracing } from '@taskgraph/runtime/telemetry/tracing';
import { configuration } from './configuration.ts';
import { counters } from './counters.ts';
import { expire } from './expiring.ts';
import { createJobMetrics } from './metrics.ts';
import { openQueues } from './queues.ts';
import { createRuns, schedulesOf } from './runs.ts';
import { createSender } from './system-commands.ts';

/** Work under way when the service is told to stop has this long to be answered, milliseconds. */
const COMMANDS_LIMIT_MS = 3_000;

const config = readConfig(configuration, process.env);
const log = createLog({ name: config.JOBS_ID, level: config.LOG_LEVEL });

await runService({
  name: 'jobs',
  log,
  async start() {
    const tracing = await startTracing({
      service: 'jobs',
      instance: config.JOBS_ID,
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      log,
    });
    const admin = await openAdmin({ host: config.ADMIN_HOST, port: config.ADMIN_PORT, log });
    const { metrics, noteRun } = createJobMetrics();
    const database = openDatabase(neo4jOptions(config));
    await database.verify();
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, or an import into it broke off: see docs/operations.md');
    const bus = await connectBus({
      ...natsOptions(config),
      name: config.JOBS_ID,
      service: 'jobs',
      log,
    });
    const requester = createRequester(bus, systemSubject);
    const send = createSender(requester, createIdFactory());
    const audit = createAudit(log);
    const stopping = new AbortController();
    const queues = openQueues({
      redis: redisOptions(config),
      prefix: config.QUEUE_PREFIX,
      expiriesAtOnce: config.EXPIRIES_AT_ONCE,
      waitingEnds: config.WAITING_ENDS,
      schedules: schedulesOf(config),
      checkMs: Math.min(config.SWEEP_INTERVAL_MS, 30_000),
      log,
      expire: (due) => expire({ send, database, audit }, due),
      run: createRuns({
        ...{ config, database, send, log, nowMs: Date.now, stopping: stopping.signal },
        require: (expirations) => queues.require(expirations),
      }),
      onRun: noteRun,
    });
    const expirations = serveExpirations(bus, (told) => queues.remember(told));
    const health = createHealth({
      neo4j: () => database.verify(),
      nats: () => bus.connected(),
      redis: queues.ping,
    });
    countBackends(metrics, health);
    admin.ready({ health, metrics });
    return {
      async stop() {
        admin.stopping();
        stopping.abort();
        log.info({ counters }, 'jobs until now');
        await expirations.stop();
        // A command that no worker answers must not keep the process past its limit; its job is tried again by another service.
        const giveUp = setTimeout(() => requester.stop(), COMMANDS_LIMIT_MS);
        await queues.stop();
        clearTimeout(giveUp);
        requester.stop();
        // The last spans may have to wait for a collector that is away, which must not add to what else takes long.
        await Promise.all([bus.close(), tracing.stop()]);
        await database.close();
        await admin.close();
      },
    };
  },
});
