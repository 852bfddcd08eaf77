// The worker: wiring only, top to bottom.
import { connectBus } from '@taskgraph/bus/connect';
import { publishControl } from '@taskgraph/bus/control';
import { publishDues } from '@taskgraph/bus/dues';
import { createLeases } from '@taskgraph/bus/lease';
import { type Serving, serveCommands, serveReads } from '@taskgraph/bus/serve';
import { publishSlices } from '@taskgraph/bus/slices';
import { openDatabase } from '@taskgraph/graph-store/database';
import { isMigrated } from '@taskgraph/graph-store/migrations';
import { planGroups } from '@taskgraph/graph-store/planning';
import { openAdmin } from '@taskgraph/runtime/admin';
import { readConfig } from '@taskgraph/runtime/config';
import { countBackends, createHealth } from '@taskgraph/runtime/health';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { runService } from '@taskgraph/runtime/lifecycle';
import { createLog } from '@taskgraph/runtime/log';
import { newPublicToken } from '@taskgraph/runtime/tokens';
import { startTracing } from '@taskgraph/runtime/tracing';
import type { ControlMessage, ReadMessage } from '@taskgraph/wire/messages';
import { answerAccount, isAccountEvent } from './accounts/table.ts';
import { createCommandHandler } from './commands.ts';
import { createCommitter } from './committing.ts';
import { configuration } from './configuration.ts';
import { groupModes } from './group.ts';
import { createMailboxes } from './mailboxes.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createOwnerCache } from './owners.ts';
import { answerRead } from './reads.ts';

const config = readConfig(configuration, process.env);
const log = createLog({ name: config.WORKER_ID, level: config.LOG_LEVEL });

await runService({
  name: 'worker',
  log,
  async start() {
    const tracing = await startTracing({
      service: 'worker',
      instance: config.WORKER_ID,
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      log,
    });
    const admin = await openAdmin({ host: config.ADMIN_HOST, port: config.ADMIN_PORT, log });
    const { metrics, counts, timed, timedCommits, watch } = createWorkerMetrics();
    const database = timedCommits(
      openDatabase({ url: config.NEO4J_URL, user: config.NEO4J_USER, password: config.NEO4J_PASSWORD }),
    );
    const { version } = await database.verify();
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, or an import into it broke off: see docs/operations.md');
    await planGroups(database);
    log.info({ version }, 'Neo4j answers');
    const bus = await connectBus({
      url: config.NATS_URL,
      user: config.NATS_USER,
      password: config.NATS_PASSWORD,
      name: config.WORKER_ID,
      service: 'worker',
      log,
    });
    const commit = createCommitter(
      {
        database,
        owners: createOwnerCache(),
        newId: createIdFactory(),
        nowMs: Date.now,
        newToken: newPublicToken,
        onFailure: (failure) => {
          counts.failures[failure]++;
        },
        publish: (slices, control, dues) => {
          counts.slices += slices.length;
          publishControl(bus, control);
          publishSlices(bus, slices);
          publishDues(bus, dues);
        },
      },
      groupModes(config.COMMAND_ENTITIES),
      log,
    );
    const mailboxes = createMailboxes({
      lanes: config.WORKER_LANES,
      restMs: config.LANE_REST_MS,
      groupSize: config.GROUP_COMMANDS,
      groupBytes: config.GROUP_BYTES,
      waitingCommands: config.WAITING_COMMANDS,
      waitingBytes: config.WAITING_BYTES,
      nowMs: Date.now,
      commit: timed(commit),
    });
    const handle = createCommandHandler(mailboxes);
    const serving = new Map<number, Serving>();
    const stopServing = async (partition: number) => {
      const served = serving.get(partition);
      serving.delete(partition);
      await served?.stop();
    };
    const leases = createLeases(bus, {
      workerId: config.WORKER_ID,
      log,
      async acquire(partition) {
        counts.leases.acquired++;
        serving.set(partition, serveCommands(bus, partition, handle));
      },
      release(partition) {
        counts.leases.released++;
        return stopServing(partition);
      },
      lost(partition) {
        counts.leases.lost++;
        return stopServing(partition);
      },
    });
    watch({ waiting: mailboxes.waiting, partitions: () => leases.held().length });
    const environment = {
      database,
      secret: config.TASKGRAPH_SECRET,
      nowMs: Date.now,
      tell: (control: ControlMessage) => publishControl(bus, control),
      onBusy: (error: unknown, { event, traceId }: ReadMessage) =>
        log.warn({ error, event, traceId }, 'the database did not do a read in time'),
    };
    const reads = serveReads(bus, ({ event, ...message }) =>
      isAccountEvent(event)
        ? answerAccount({ event, ...message }, environment)
        : answerRead({ event, ...message }, environment),
    );
    const health = createHealth({ neo4j: () => database.verify(), nats: () => bus.connected() });
    countBackends(metrics, health);
    admin.ready({ health, metrics });
    return {
      async stop() {
        admin.stopping();
        await leases.stop();
        await reads.stop();
        await mailboxes.idle();
        // The last spans may have to wait for a collector that is away, which must not add to what else takes long.
        await Promise.all([bus.close(), tracing.stop()]);
        await database.close();
        await admin.close();
      },
    };
  },
});
