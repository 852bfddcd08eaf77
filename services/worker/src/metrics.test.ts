import type { Database } from '@taskgraph/graph-store/driver/database';
import { documentedMetrics, metricRows } from '@taskgraph/repo-checks/documents/metric-table';
import { expect, test } from 'vitest';
import type { Job } from './commit/job.ts';
import { createWorkerMetrics } from './metrics.ts';
import { describedMetrics } from './test/support/described-metrics.ts';

test('docs/metrics.md has the metrics of workers', () => {
  expect(documentedMetrics('Workers')).toEqual(metricRows(describedMetrics()));
});

test('groups, commits, leases and waiting commands are counted', async () => {
  const { metrics, counters, timed, timedCommits, watch } = createWorkerMetrics();
  const pages = { takenBytes: () => 700, waiting: () => 2, refused: () => 1 };
  watch({
    aheadMs: () => 2_500,
    waiting: () => ({ commands: 3, bytes: 900, large: 1 }),
    waitingReads: () => 4,
    waitingHeavyReads: () => 3,
    partitions: () => 32,
    pages,
    pageCache: { bytes: () => 500, counts: () => ({ hits: 9, misses: 8 }) },
    nodeIndexes: { bytes: () => 600 },
    cacheBytes: () => 700,
  });
  await timed(async () => undefined)([{}, {}, {}] as Job[]);
  const bare = { begin: () => ({ commit: async () => undefined }) } as unknown as Database;
  await timedCommits(bare).begin().commit();
  counters.failures.inc({ failure: 'locked' });
  counters.leases.inc({ change: 'acquired' }, 32);
  counters.statements.inc({ pool: 'reads' }, 7);
  counters.slices.inc(5);
  counters.lost.inc();
  counters.late.inc(2);
  counters.ahead.inc();
  counters.readsRefused.inc();
  const text = await metrics.text();
  for (const line of [
    'taskgraph_group_commands_sum 3',
    'taskgraph_group_duration_seconds_count 1',
    'taskgraph_commit_duration_seconds_count 1',
    'taskgraph_group_failures_total{failure="locked"} 1',
    'taskgraph_group_failures_total{failure="slow"} 0',
    'taskgraph_lease_changes_total{change="acquired"} 32',
    'taskgraph_lease_changes_total{change="lost"} 0',
    'taskgraph_statements_total{pool="reads"} 7',
    'taskgraph_statements_total{pool="commits"} 0',
    'taskgraph_slices_published_total 5',
    'taskgraph_waiting_commands 3',
    'taskgraph_waiting_bytes 900',
    'taskgraph_waiting_alone 1',
    'taskgraph_waiting_reads 4',
    'taskgraph_publications_lost_total 1',
    'taskgraph_late_total 2',
    'taskgraph_ahead_groups_total 1',
    'taskgraph_clock_ahead_seconds 2.5',
    'taskgraph_reads_refused_total 1',
    'taskgraph_partitions 32',
    'taskgraph_page_bytes 700',
    'taskgraph_waiting_pages 2',
    'taskgraph_refused_pages_total 1',
    'taskgraph_kept_page_bytes 500',
    'taskgraph_search_index_bytes 600',
    'taskgraph_remembered_bytes 700',
    'taskgraph_kept_pages_total 9',
    'taskgraph_made_pages_total 8',
  ])
    expect(text.split('\n')).toContain(line);
});

test('a failed commit is not counted, and its error is passed on', async () => {
  const { metrics, timedCommits } = createWorkerMetrics();
  const bare = { begin: () => ({ commit: () => Promise.reject(new Error('no')) }) } as unknown as Database;
  await expect(timedCommits(bare).begin().commit()).rejects.toThrow('no');
  expect(await metrics.text()).toContain('taskgraph_commit_duration_seconds_count 0');
});
