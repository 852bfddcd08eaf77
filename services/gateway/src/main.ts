// Starts a gateway: wiring only.
import { connectBus } from '@taskgraph/bus/nats/connect';
import { openAdmin } from '@taskgraph/runtime/service/admin';
import { natsOptions, redisOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { countBackends, createHealth } from '@taskgraph/runtime/service/health';
import { runService } from '@taskgraph/runtime/service/lifecycle';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { startTracing } from '@taskgraph/runtime/telemetry/tracing';
import { accountSettings } from './accounts/settings.ts';
import { configuration } from './configuration.ts';
import { ratesOf, refuseUnlimited } from './limits/limit-settings.ts';
import { createLimits, noLimits } from './limits/limits.ts';
import { createGatewayMetrics } from './metrics.ts';
import { startGateway } from './server.ts';
import { connectionBoundsOf } from './socket/connection-settings.ts';

const config = readConfig(configuration, process.env);
refuseUnlimited({ limits: config.TASKGRAPH_LIMITS, environment: config.NODE_ENV });
const log = createLog({ name: config.GATEWAY_ID, level: config.LOG_LEVEL });

await runService({
  name: 'gateway',
  log,
  async start() {
    const tracing = await startTracing({
      service: 'gateway',
      instance: config.GATEWAY_ID,
      endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
      log,
    });
    const admin = await openAdmin({ host: config.ADMIN_HOST, port: config.ADMIN_PORT, log });
    const metrics = createGatewayMetrics();
    const bus = await connectBus({
      ...natsOptions(config),
      name: config.GATEWAY_ID,
      service: 'gateway',
      log,
    });
    const counted = { redis: redisOptions(config), rates: ratesOf(config), gateways: config.GATEWAYS, log };
    const limits = config.TASKGRAPH_LIMITS === 'off' ? noLimits : createLimits(counted);
    const gateway = await startGateway({
      host: config.HOST,
      port: config.PORT,
      redis: redisOptions(config),
      deadlineMs: config.COMMAND_DEADLINE_MS,
      headsIntervalMs: config.HEADS_INTERVAL_MS,
      allowedOrigins: config.ALLOWED_ORIGINS,
      hstsSeconds: config.HSTS_SECONDS,
      trustedProxies: { networks: config.TRUSTED_PROXIES, hops: config.TRUSTED_PROXY_HOPS },
      bounds: connectionBoundsOf(config, config.TASKGRAPH_LIMITS === 'on'),
      limits,
      accounts: accountSettings(config, log),
      metrics,
      bus,
      log,
    });
    const health = createHealth(gateway.backends);
    countBackends(metrics.metrics, health);
    // Without Redis calls go on, and pushes reach the sockets that are here. All gateways share one Redis, so that its outage
    // would otherwise take every one of them out of service at once.
    admin.ready({ health, metrics: metrics.metrics, optional: ['redis'] });
    return {
      async stop() {
        admin.stopping();
        await gateway.stop();
        await limits.close();
        // The last spans may have to wait for a collector that is away, which must not add to what else takes long.
        await Promise.all([bus.close(), tracing.stop()]);
        await admin.close();
      },
    };
  },
});
