import { documentedMetrics, metricRows } from '@taskgraph/repo-checks/documents/metric-table';
import { describe, expect, it, test } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { countBackends, createHealth } from './health.ts';

describe('health', () => {
  it('concurrent requests share one check', async () => {
    let asked = 0;
    const health = createHealth({ neo4j: () => ++asked });
    expect(await Promise.all([health(), health(), health()])).toEqual(Array(3).fill({ neo4j: 'up' }));
    await health();
    expect(asked).toBe(1);
  });

  it('a backend that does not answer counts as unavailable', async () => {
    const health = createHealth({ neo4j: () => new Promise(() => undefined), nats: () => true });
    expect(await health()).toEqual({ neo4j: 'away', nats: 'up' });
  });

  it('is a metric', async () => {
    const metrics = createMetrics();
    countBackends(metrics, createHealth({ neo4j: () => false, nats: () => true }));
    const lines = (await metrics.text()).split('\n');
    expect(lines).toContain('taskgraph_backend_up{backend="neo4j"} 0');
    expect(lines).toContain('taskgraph_backend_up{backend="nats"} 1');
  });
});

test('docs/metrics.md has the metrics of every service', () => {
  const metrics = createMetrics();
  countBackends(metrics, createHealth({}));
  expect(documentedMetrics('Every service')).toEqual(metricRows(metrics.describe()));
});
