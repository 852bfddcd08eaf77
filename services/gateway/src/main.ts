// The gateway's entry point: it reads the configuration, connects, and starts the server.
import { connectBus } from '@taskgraph/bus/nats/connect';
import { serveStatus } from '@taskgraph/bus/requests/status';
import { natsOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { runMonitoredService } from '@taskgraph/runtime/service/monitored-service';
import { redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createReporter } from '@taskgraph/runtime/service/service-report';
import { accountSettings } from './accounts/settings.ts';
import { configuration } from './configuration.ts';
import { ratesOf, refuseUnlimited } from './limits/limit-settings.ts';
import { createLimits, noLimits } from './limits/limits.ts';
import { createGatewayMetrics } from './metrics.ts';
import { startGateway } from './server.ts';
import { connectionBoundsOf } from './socket/connection-settings.ts';

const config = readConfig(configuration, process.env);
refuseUnlimited({ limits: config.TASKGRAPH_LIMITS, environment: config.NODE_ENV });
await runMonitoredService({
  name: 'gateway',
  instance: config.GATEWAY_ID,
  config,
  noticeMs: config.STOP_NOTICE_MS,
  async start(log) {
    const metrics = createGatewayMetrics();
    const bus = await connectBus({
      ...natsOptions(config),
      name: config.GATEWAY_ID,
      service: 'gateway',
      log,
    });
    const rates = ratesOf(config);
    const isLimited = config.TASKGRAPH_LIMITS === 'on';
    const counted = { redis: redisOptions(config), rates, gateways: config.GATEWAYS, log };
    const limits = isLimited ? createLimits(counted) : noLimits;
    const gateway = await startGateway({
      host: config.HOST,
      port: config.PORT,
      redis: redisOptions(config),
      deadlineMs: config.COMMAND_DEADLINE_MS,
      noticeMs: config.STOP_NOTICE_MS,
      headsIntervalMs: config.HEADS_INTERVAL_MS,
      allowedOrigins: config.ALLOWED_ORIGINS,
      hstsSeconds: config.HSTS_SECONDS,
      trustedProxies: { networks: config.TRUSTED_PROXIES, hops: config.TRUSTED_PROXY_HOPS },
      bounds: connectionBoundsOf(config, isLimited),
      limits,
      agents: config.MCP,
      service: { docs: config.DOCS, console: config.CONSOLE, rates: isLimited ? rates : null },
      compresses: config.COMPRESSION,
      accounts: accountSettings(config, log),
      metrics,
      bus,
      log,
    });
    const settings = { settings: configuration, environment: process.env };
    const reporter = createReporter({
      kind: 'gateway',
      name: config.GATEWAY_ID,
      metrics: metrics.metrics,
      ...settings,
    });
    const status = serveStatus(bus, reporter);
    // Without Redis, calls work and pushes reach the sockets of this gateway. All gateways share
    // one Redis: if they needed it to be ready, its outage would take all of them out of service at
    // once.
    return {
      metrics: metrics.metrics,
      backends: gateway.backends,
      optional: ['redis'],
      async drain() {
        await Promise.all([gateway.stop(), status.stop()]);
        await limits.close();
      },
      close: bus.close,
    };
  },
});
