import { METRICS_LENGTH, statusReply } from '@taskgraph/wire/bus/status-messages';
import { expect, test } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { countBackends, createHealth } from './health.ts';
import { createReporter } from './service-report.ts';
import { VERSION } from './version.ts';

const settings = {};
const environment = {};
const others = '01985f17-c6a0-7a11-8f42-e6078a9bc3dc';

test('[ADMIN3] a report has the version, the backends and the sums of some metrics', async () => {
  const metrics = createMetrics();
  metrics.gauge('taskgraph_backend_up', 'x', ['backend'], () => [
    [{ backend: 'nats' }, 1],
    [{ backend: 'redis' }, 0],
  ]);
  metrics.gauge('taskgraph_sockets', 'x', ['kind'], () => [
    [{ kind: 'a' }, 2],
    [{ kind: 'b' }, 3],
  ]);
  metrics.gauge('taskgraph_other', 'x', [], () => 7);
  const report = createReporter({ kind: 'gateway', name: 'g'.repeat(300), metrics, settings, environment });
  const reply = await report({ process: null });
  expect(statusReply.parse(reply)).toEqual(reply);
  expect(reply).toMatchObject({
    report: {
      kind: 'gateway',
      name: 'g'.repeat(200),
      version: VERSION,
      node: process.version,
      backends: [
        { name: 'nats', isUp: true },
        { name: 'redis', isUp: false },
      ],
      queues: [],
      leases: null,
      serves: [],
    },
    details: null,
  });
  const reported = reply?.report.metrics ?? [];
  expect(reported).toContainEqual({ name: 'taskgraph_sockets', value: 5 });
  expect(reported.map(({ name }) => name)).not.toContain('taskgraph_other');
});

test('[ADMIN4] only the requested process answers, with details', async () => {
  const options = { kind: 'jobs', name: 'jobs', metrics: createMetrics() } as const;
  const report = createReporter({
    ...options,
    settings: { A: { schema: expect.anything() as never, default: 1 } },
    environment,
  });
  expect(await report({ process: others })).toBeNull();
  const { process = '' } = (await report({ process: null }))?.report ?? {};
  const { details } = (await report({ process })) ?? {};
  expect(details).toMatchObject({ settings: [{ name: 'A', value: '(default)' }], truncated: false });
  expect(details?.metrics).toContain('process_resident_memory_bytes');
});

test('[ADMIN4] long metrics are cut after a line', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const metrics = { series: async () => [], text: async () => line.repeat(METRICS_LENGTH / 100 + 100) };
  const report = createReporter({ kind: 'jobs', name: 'jobs', metrics, settings, environment });
  const { process = '' } = (await report({ process: null }))?.report ?? {};
  const reply = await report({ process });
  expect(statusReply.parse(reply)).toEqual(reply);
  expect(reply?.details?.truncated).toBe(true);
  expect(reply?.details?.metrics).toBe(line.repeat(Math.floor(METRICS_LENGTH / 100)));
});

test('[ADMIN3] parts of a backend that is away are left out', async () => {
  const own = () => Promise.reject(new Error('Redis is away'));
  const report = createReporter({ kind: 'jobs', name: 'jobs', metrics: createMetrics(), settings, environment, own });
  expect((await report({ process: null }))?.report.queues).toEqual([]);
});

test('[ADMIN3] a report says which backend does not answer, and leaves out what waits for it', async () => {
  const metrics = createMetrics();
  const never = () => new Promise<never>(() => undefined);
  countBackends(metrics, createHealth({ redis: never, nats: () => true }));
  metrics.gauge('taskgraph_sockets', 'x', [], never);
  const report = createReporter({ kind: 'jobs', name: 'jobs', metrics, settings, environment, own: never });
  expect((await report({ process: null }))?.report).toMatchObject({
    backends: [
      { name: 'redis', isUp: false },
      { name: 'nats', isUp: true },
    ],
    metrics: [],
    queues: [],
  });
});
