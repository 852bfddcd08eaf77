import { documentedMetrics, metricRows } from '@taskgraph/repo-checks/documents/metric-table';
import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { type Limits, noLimits, reportRefusals } from './limits/limits.ts';
import { createGatewayMetrics, type EndedCall } from './metrics.ts';
import { describedMetrics, idleSources } from './test/support/described-metrics.ts';

const read: EndedCall = {
  kind: 'read',
  name: 'graph:get',
  transport: 'rest',
  outcome: 'ok',
  seconds: 0.02,
  traceId: null,
};

test('docs/metrics.md has the metrics of gateways', () => {
  expect(documentedMetrics('Gateways')).toEqual(metricRows(describedMetrics()));
});

test('calls are counted by name, transport and outcome, and those of the catalog before the first', async () => {
  const { metrics, note } = createGatewayMetrics();
  note(read);
  note({ ...read, kind: 'command', name: 'link:add', transport: 'socket', outcome: 'error', traceId: 'b'.repeat(32) });
  note({ ...read, kind: 'account', name: 'login', outcome: 'refused' });
  note({ ...read, kind: 'connection', name: 'connect', transport: 'socket' });
  note({ ...read, kind: 'other', name: 'other', outcome: 'refused' });
  const text = await metrics.text();
  for (const line of [
    'taskgraph_reads_total{event="graph:get",transport="rest",outcome="ok"} 1',
    'taskgraph_commands_total{event="link:add",transport="socket",outcome="error"} 1',
    'taskgraph_commands_total{event="node:add",transport="rest",outcome="ok"} 0',
    'taskgraph_account_calls_total{event="login",transport="rest",outcome="refused"} 1',
    'taskgraph_connections_total{outcome="ok"} 1',
    'taskgraph_command_duration_seconds_count{event="link:add"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).toMatch(/_duration_seconds_bucket\{le="0.025",event="link:add"\} 1 # \{trace_id="b{32}"\}/);
  expect(text).not.toContain('"other"');
});

test('feed look-ups of connecting users are counted by way', async () => {
  const { metrics, feedLookups } = createGatewayMetrics();
  feedLookups.copied += 3;
  feedLookups.looked_up++;
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('taskgraph_socket_feed_lookups_total{way="copied"} 3');
  expect(lines).toContain('taskgraph_socket_feed_lookups_total{way="looked_up"} 1');
});

test('[LIM1] calls past a limit are counted by that limit', async () => {
  const { metrics, noteLimited, watch } = createGatewayMetrics();
  const refusal = refuse('rate_limited', 'No.', { limit: 'rest', retryAfterMs: 1 });
  const counters = { ...noLimits.counters, shared: 4, outages: 2 };
  const refusing: Limits = { ...noLimits, counters, take: async () => ({ refusal, headers: {} }) };
  const limits = reportRefusals(refusing, noteLimited);
  watch({ ...idleSources, limits });
  expect((await limits.take(['rest'], { ip: '10.0.0.1' })).refusal).toBe(refusal);
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('taskgraph_rate_limited_total{limit="rest"} 1');
  expect(lines).toContain('taskgraph_rate_limited_total{limit="socket"} 0');
  expect(lines).toContain('taskgraph_limit_checks_total{way="shared"} 4');
  expect(lines).toContain('taskgraph_limit_outages_total 2');
});
