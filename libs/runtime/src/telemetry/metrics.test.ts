import { describe, expect, it } from 'vitest';
import { byLabel, createMetrics } from './metrics.ts';

describe('metrics', () => {
  it('reads counters and gauges when they are scraped', async () => {
    const metrics = createMetrics();
    const counts = { ok: 1, error: 0 };
    let depth = 7;
    metrics.counter('taskgraph_things_total', 'Things.', ['outcome'], () => byLabel('outcome', counts));
    metrics.gauge('taskgraph_depth', 'Depth.', [], async () => depth);
    await metrics.text();
    counts.ok = 3;
    depth = 2;
    const text = await metrics.text();
    expect(text).toContain('taskgraph_things_total{outcome="ok"} 3\n');
    expect(text).toContain('taskgraph_things_total{outcome="error"} 0\n');
    expect(text).toMatch(/^taskgraph_depth 2$/m);
  });

  it('ends like OpenMetrics, and includes process metrics', async () => {
    const metrics = createMetrics();
    const text = await metrics.text();
    expect(metrics.contentType).toMatch(/^application\/openmetrics-text/);
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  });

  it('stores the trace of a value as the exemplar of its bucket', async () => {
    const metrics = createMetrics();
    const observe = metrics.histogram('taskgraph_wait_seconds', 'Wait.', { labels: ['event'], buckets: [0.1, 1] });
    observe({ event: 'link:add' }, 0.05, null);
    observe({ event: 'link:add' }, 0.5, 'a'.repeat(32));
    const text = await metrics.text();
    expect(text).toMatch(/_bucket\{le="0.1",event="link:add"\} 1$/m);
    expect(text).toMatch(/_bucket\{le="1",event="link:add"\} 2 # \{trace_id="a{32}"\} 0.5 /);
    expect(text).toContain('taskgraph_wait_seconds_count{event="link:add"} 2');
  });

  it('describes declared metrics, and rejects a duplicate or malformed name', () => {
    const metrics = createMetrics();
    metrics.gauge('taskgraph_depth', 'Depth.', ['slot'], () => 0);
    expect(metrics.describe()).toEqual([
      { name: 'taskgraph_depth', type: 'gauge', labels: ['slot'], meaning: 'Depth.' },
    ]);
    for (const name of ['taskgraph_depth', 'depth', 'taskgraph_Depth'])
      expect(() => metrics.gauge(name, 'Depth.', [], () => 0)).toThrow('not a new name');
  });
});
