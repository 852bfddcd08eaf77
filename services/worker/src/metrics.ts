// A worker's metrics. docs/metrics.md lists them.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import { createMetrics, type Metrics, WAITING_SECONDS } from '@taskgraph/runtime/telemetry/metrics';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import type { CacheOutcome } from './commit/group-environment.ts';
import { recordedTraceOf } from './commit/group-span.ts';
import type { Job } from './commit/job.ts';
import type { Scheduler } from './commit/scheduler.ts';
import type { Pool } from './database-pools.ts';
import type { PageCache } from './reads/cache/page-cache.ts';
import type { PageBudget } from './reads/page-budget.ts';

/** Upper bounds for the size of groups, whose default is 128 and most is 1,000. */
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000] as const;

/** A record, so that the compiler misses none. */
const FAILURES: Readonly<Record<Failure, true>> = {
  ...{ passing: true, away: true, crowded: true, locked: true },
  ...{ duplicate: true, too_large: true, slow: true, broken: true },
};

export interface WorkerMetrics {
  readonly metrics: Metrics;
  /**
   * Counters of events. `failures` has the label `failure`, `leases` the label `change`, `statements` the label `pool`,
   * `cacheOutcomes` the label `outcome`.
   */
  readonly counters: Readonly<
    Record<
      'failures' | 'leases' | 'statements' | 'slices' | 'lost' | 'late' | 'ahead' | 'readsRefused' | 'cacheOutcomes',
      ReturnType<Metrics['counter']>
    >
  >;
  /** Measures the size and the duration of each group, retries included. */
  timed<T>(commit: (group: Job[]) => Promise<T>): (group: Job[]) => Promise<T>;
  /** Measures the duration of each commit alone, which is mostly the disk of the database. */
  timedCommits(database: Database): Database;
  /** Declares the gauges that read parts of the worker at each scrape. */
  watch(parts: {
    readonly aheadMs: () => number;
    readonly waiting: Scheduler['waiting'];
    readonly waitingReads: () => number;
    readonly waitingHeavyReads: () => number;
    readonly partitions: () => number;
    readonly pages: Pick<PageBudget, 'takenBytes' | 'waiting' | 'refused'>;
    readonly kept: Pick<PageCache, 'bytes' | 'counts'>;
    readonly cacheBytes: () => number;
  }): void;
}

export function createWorkerMetrics(): WorkerMetrics {
  const metrics = createMetrics();
  const { counter, gauge, histogram } = metrics;
  const noteSize = histogram('taskgraph_group_commands', 'Commands of a group, which are committed together.', {
    buckets: GROUP_SIZES,
  });
  const noteGroup = histogram(
    'taskgraph_group_duration_seconds',
    'From the gathering of a group to the end of its tries. Large commands, which go alone, are not in it.',
    {
      buckets: WAITING_SECONDS,
    },
  );
  const noteCommit = histogram(
    'taskgraph_commit_duration_seconds',
    'Duration of the commit alone, or of the one statement that writes a group and commits it. Large commands, which go alone, are not in it.',
    {
      buckets: WAITING_SECONDS,
    },
  );
  const counters = {
    failures: counter('taskgraph_group_failures_total', 'Transactions of groups that failed, by why.', ['failure']),
    leases: counter('taskgraph_lease_changes_total', 'Partitions that came to this worker or left it.', ['change']),
    statements: counter(
      'taskgraph_statements_total',
      'Statements sent to the database, by what for. Those of large commands, which go alone, are not in it.',
      ['pool'],
    ),
    slices: counter('taskgraph_slices_published_total', 'Slices of committed groups, sent to gateways.', []),
    lost: counter('taskgraph_publications_lost_total', 'Messages of what was committed that could not be sent.', []),
    late: counter('taskgraph_late_total', 'Commands and reads refused as their deadline had passed.', []),
    ahead: counter(
      'taskgraph_ahead_groups_total',
      'Groups with an owner whose newest batch is over a second later than now.',
      [],
    ),
    cacheOutcomes: counter(
      'taskgraph_recollections_total',
      'Groups by whether they could be decided on what the worker remembers: it did, it lacked something, or it was stale.',
      ['outcome'],
    ),
    readsRefused: counter('taskgraph_reads_refused_total', 'Reads refused as too many waited.', []),
  };
  // Every label from the start, so that rates count the first event.
  for (const failure of Object.keys(FAILURES)) counters.failures.inc({ failure }, 0);
  for (const pool of ['commits', 'reads', 'watch'] satisfies Pool[]) counters.statements.inc({ pool }, 0);
  for (const outcome of ['did', 'lacked', 'stale'] satisfies CacheOutcome[]) counters.cacheOutcomes.inc({ outcome }, 0);
  for (const change of ['acquired', 'released', 'lost']) counters.leases.inc({ change }, 0);
  return {
    metrics,
    counters,
    timed: (commit) => async (group) => {
      const startedAt = performance.now();
      const traceId = recordedTraceOf(group);
      noteSize(NO_LABELS, group.length, traceId);
      const result = await commit(group);
      noteGroup(NO_LABELS, (performance.now() - startedAt) / 1_000, traceId);
      return result;
    },
    timedCommits: (database) => ({
      ...database,
      async writeAgain(...statement) {
        const startedAt = performance.now();
        const rows = await database.writeAgain(...statement);
        noteCommit(NO_LABELS, (performance.now() - startedAt) / 1_000, recordedTraceId());
        return rows;
      },
      begin(timeoutMs) {
        const transaction = database.begin(timeoutMs);
        return {
          ...transaction,
          async commit() {
            const startedAt = performance.now();
            await transaction.commit();
            noteCommit(NO_LABELS, (performance.now() - startedAt) / 1_000, recordedTraceId());
          },
        };
      },
    }),
    watch({ aheadMs, waiting, waitingReads, waitingHeavyReads, partitions, pages, kept, cacheBytes }) {
      gauge(
        'taskgraph_clock_ahead_seconds',
        'How far the clock of the machine is ahead of that of the database.',
        [],
        () => aheadMs() / 1_000,
      );
      gauge('taskgraph_waiting_commands', 'Commands that wait in the mailboxes.', [], () => waiting().commands);
      gauge('taskgraph_waiting_bytes', 'Bytes of payload that wait in the mailboxes.', [], () => waiting().bytes);
      gauge('taskgraph_waiting_alone', 'Large commands that wait to go alone.', [], () => waiting().large);
      gauge('taskgraph_waiting_reads', 'Reads that wait for their turn.', [], waitingReads);
      gauge('taskgraph_waiting_heavy_reads', 'Those of them whose readers had much lately.', [], waitingHeavyReads);
      gauge('taskgraph_page_bytes', 'Memory that pages under way have set aside.', [], pages.takenBytes);
      gauge('taskgraph_waiting_pages', 'Reads that wait for memory for their page.', [], pages.waiting);
      gauge('taskgraph_remembered_bytes', 'Memory of what is remembered of the graph.', [], cacheBytes);
      gauge('taskgraph_kept_page_bytes', 'Memory of pages that are kept to be given again.', [], kept.bytes);
      counter(
        'taskgraph_kept_pages_total',
        'Pages that were given again as they were kept.',
        [],
        () => kept.counts().kept,
      );
      counter('taskgraph_made_pages_total', 'Pages of the graph that were made anew.', [], () => kept.counts().made);
      counter('taskgraph_refused_pages_total', 'Reads that were refused for want of memory.', [], pages.refused);
      gauge('taskgraph_partitions', 'Partitions that are served here; those of all workers are 64.', [], partitions);
    },
  };
}

const NO_LABELS = {};
