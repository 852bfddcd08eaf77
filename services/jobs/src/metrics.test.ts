import { documentedMetrics, metricRows } from '@taskgraph/repo-checks/documents/metric-table';
import { expect, test } from 'vitest';
import { count, metrics, noteFailedTry, noteRun, workUntilNow } from './metrics.ts';

test('docs/metrics.md has the metrics of jobs services', () => {
  expect(documentedMetrics('Jobs')).toEqual(metricRows(metrics.describe()));
});

test('runs are counted by outcome, with their durations', async () => {
  count('trash', 'failed');
  noteRun('trash', 2);
  noteFailedTry('sweep', false);
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('taskgraph_job_runs_total{kind="trash",outcome="ok"} 1');
  expect(lines).toContain('taskgraph_job_runs_total{kind="trash",outcome="error"} 0');
  expect(lines).toContain('taskgraph_job_runs_total{kind="sweep",outcome="retried"} 1');
  expect(lines).toContain('taskgraph_job_work_total{kind="trash",outcome="failed"} 1');
  expect(lines).toContain('taskgraph_job_duration_seconds_bucket{le="5",kind="trash"} 1');
});

test('results of jobs are counted by kind and outcome', async () => {
  count('expire', 'done');
  count('expire', 'done');
  count('expire', 'gone', 0);
  count('sweep', 'found', 5);
  expect(await workUntilNow()).toMatchObject({ expire: { done: 2, gone: 0 }, sweep: { found: 5 } });
});
