// Starts a gateway: wiring only.
import { connectBus } from '@taskgraph/bus/connect';
import { readConfig } from '@taskgraph/runtime/config';
import { runService } from '@taskgraph/runtime/lifecycle';
import { createLog } from '@taskgraph/runtime/log';
import { accountSettings } from './accounts/settings.ts';
import { configuration } from './configuration.ts';
import { ratesOf, refuseUnlimited } from './limit-settings.ts';
import { createLimits, noLimits } from './limits.ts';
import { startGateway } from './server.ts';

const config = readConfig(configuration, process.env);
refuseUnlimited({ limits: config.TASKGRAPH_LIMITS, environment: config.NODE_ENV });
const log = createLog({ name: config.GATEWAY_ID, level: config.LOG_LEVEL });

await runService({
  name: 'gateway',
  log,
  async start() {
    const bus = await connectBus({
      url: config.NATS_URL,
      user: config.NATS_USER,
      password: config.NATS_PASSWORD,
      name: config.GATEWAY_ID,
      log,
    });
    const counted = { redisUrl: config.REDIS_URL, rates: ratesOf(config), gateways: config.GATEWAYS, log };
    const limits = config.TASKGRAPH_LIMITS === 'off' ? noLimits : createLimits(counted);
    const gateway = await startGateway({
      host: config.HOST,
      port: config.PORT,
      redisUrl: config.REDIS_URL,
      deadlineMs: config.COMMAND_DEADLINE_MS,
      headsIntervalMs: config.HEADS_INTERVAL_MS,
      allowedOrigins: config.ALLOWED_ORIGINS,
      hstsSeconds: config.HSTS_SECONDS,
      trustedProxies: config.TRUSTED_PROXIES,
      limits,
      accounts: accountSettings(config, log),
      bus,
      log,
    });
    return {
      async stop() {
        await gateway.stop();
        await limits.close();
        await bus.close();
      },
    };
  },
});
