// The hooks service: wiring only, top to bottom.

import { readFileSync } from 'node:fs';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { serveStatus } from '@taskgraph/bus/requests/status';
import { serveWebhookSends } from '@taskgraph/bus/requests/webhook-requests';
import { natsOptions } from '@taskgraph/runtime/service/backends';
import { readConfig } from '@taskgraph/runtime/service/config';
import { runMonitoredService } from '@taskgraph/runtime/service/monitored-service';
import { createReporter } from '@taskgraph/runtime/service/service-report';
import { createAddressPolicy, hostOf } from './addresses/address-policy.ts';
import { createDnsLookup, lookupConfigured } from './addresses/lookup.ts';
import { configuration } from './configuration.ts';
import { createConnect } from './connection/connect.ts';
import { createSenderMetrics } from './metrics.ts';
import { createSender } from './sender.ts';

/** Milliseconds that exchanges have to finish after a stop signal. */
const EXCHANGES_LIMIT_MS = 6_000;
const UNREACHABLE_STEP_MS = 2_000;

const config = readConfig(configuration, process.env);
await runMonitoredService({
  name: 'hooks',
  instance: config.HOOKS_ID,
  config,
  async start(log) {
    const natsHosts = config.NATS_URL.split(',').map((address) => hostOf(new URL(address.trim())));
    const policy = createAddressPolicy(
      {
        allowedHosts: config.HOOKS_ALLOWED_HOSTS,
        allowedNetworks: config.HOOKS_ALLOWED_NETWORKS,
        protectedHosts: [...config.HOOKS_PROTECTED_HOSTS, ...natsHosts],
      },
      { dns: createDnsLookup(), configured: lookupConfigured },
    );
    const { metrics, count, watch } = createSenderMetrics();
    const sender = createSender({
      connect: createConnect({
        policy,
        proxy: config.HOOKS_PROXY_URL === undefined ? undefined : new URL(config.HOOKS_PROXY_URL),
        ca: config.HOOKS_CA_FILE === undefined ? undefined : readFileSync(config.HOOKS_CA_FILE, 'utf8'),
      }),
      atOnce: config.HOOKS_SENDS_AT_ONCE,
      unreachableStepMs: UNREACHABLE_STEP_MS,
      observe(event) {
        count(event);
        log[event.reason === undefined ? 'debug' : 'info'](event, 'a message of a webhook was processed');
      },
    });
    watch(sender);
    const bus = await connectBus({ ...natsOptions(config), name: config.HOOKS_ID, service: 'hooks', log });
    const serving = serveWebhookSends(bus, sender.send);
    const settings = { settings: configuration, environment: process.env };
    const status = serveStatus(bus, createReporter({ kind: 'hooks', name: config.HOOKS_ID, metrics, ...settings }));
    return {
      metrics,
      backends: { nats: bus.ping },
      async drain() {
        const giveUp = setTimeout(() => sender.stop(), EXCHANGES_LIMIT_MS);
        await Promise.all([serving.stop(), status.stop()]);
        clearTimeout(giveUp);
        sender.stop();
      },
      close: () => bus.close(),
    };
  },
});
