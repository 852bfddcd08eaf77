import { documentedMetrics, metricRows } from '@taskgraph/testkit/documents/metric-table';
import { expect, test } from 'vitest';
import { count, runs } from './counters.ts';
import { createJobMetrics } from './metrics.ts';

test('docs/metrics.md has the metrics of jobs services', () => {
  expect(documentedMetrics('Jobs')).toEqual(metricRows(createJobMetrics().metrics.describe()));
});

test('jobs are counted by how they ended, and by what they came to', async () => {
  const { metrics, noteRun } = createJobMetrics();
  count('trash', 'failed');
  runs.trash.ok++;
  noteRun('trash', 2);
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('taskgraph_job_runs_total{kind="trash",outcome="ok"} 1');
  expect(lines).toContain('taskgraph_job_runs_total{kind="trash",outcome="error"} 0');
  expect(lines).toContain('taskgraph_job_work_total{kind="trash",outcome="failed"} 1');
  expect(lines).toContain('taskgraph_job_duration_seconds_bucket{le="5",kind="trash"} 1');
});
