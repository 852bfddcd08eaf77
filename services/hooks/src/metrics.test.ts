import { documentedMetrics, metricRows } from '@taskgraph/repo-checks/documents/metric-table';
import { expect, test } from 'vitest';
import { createSenderMetrics } from './metrics.ts';

test('docs/metrics.md has the metrics of hooks services', () => {
  expect(documentedMetrics('Hooks')).toEqual(metricRows(createSenderMetrics().metrics.describe()));
});

test('[HOOK14] requests are counted by outcome, failures by reason, and answers with their durations', async () => {
  const { metrics, count, watch } = createSenderMetrics();
  watch({ active: () => 3, spare: () => 1 });
  const event = { hookId: 'x', host: 'receiver.test' };
  count({ ...event, outcome: 'delivered', status: 204, durationMs: 40 });
  count({ ...event, outcome: 'unreachable', reason: 'forbidden', durationMs: 1 });
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('taskgraph_hook_sends_total{outcome="delivered"} 1');
  expect(lines).toContain('taskgraph_hook_sends_total{outcome="late"} 0');
  expect(lines).toContain('taskgraph_hook_failures_total{reason="forbidden"} 1');
  expect(lines).toContain('taskgraph_hook_send_duration_seconds_count{outcome="delivered"} 1');
  expect(lines).toContain('taskgraph_hook_sends_active 3');
  expect(lines).toContain('taskgraph_hook_spare_connections 1');
  expect(lines.join()).not.toContain('receiver.test');
});
