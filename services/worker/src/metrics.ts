// A worker's metrics. docs/metrics.md lists them.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import { createMetrics, type Metrics, WAITING_SECONDS } from '@taskgraph/runtime/telemetry/metrics';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import type { CacheOutcome } from './commit/group-environment.ts';
import type { Scheduler } from './commit/group-scheduler.ts';
import { recordedTraceOf } from './commit/group-span.ts';
import type { Job } from './commit/job.ts';
import type { Pool } from './database-pools.ts';
import type { PageCache } from './reads/cache/page-cache.ts';
import type { NodeIndexes } from './reads/find/node-indexes.ts';
import type { PageBudget } from './reads/page-budget.ts';

/** Upper bounds for the size of groups, whose default is 128 and most is 1,000. */
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000] as const;

/** A record, so that the compiler misses none. */
const FAILURES: Readonly<Record<Failure, true>> = {
  passing: true,
  away: true,
  crowded: true,
  locked: true,
  duplicate: true,
  too_large: true,
  slow: true,
  broken: true,
};

export interface WorkerMetrics {
  readonly metrics: Metrics;
  /**
   * Counters of events. `failures` has the label `failure`, `leases` the label `change`,
   * `statements` the label `pool`, `cacheOutcomes` the label `outcome`.
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
    readonly pageCache: Pick<PageCache, 'bytes' | 'counts'>;
    readonly nodeIndexes: Pick<NodeIndexes, 'bytes'>;
    readonly cacheBytes: () => number;
  }): void;
}

export function createWorkerMetrics(): WorkerMetrics {
  const metrics = createMetrics();
  const { counter, gauge, histogram } = metrics;
  const noteSize = histogram('taskgraph_group_commands', 'Commands in a group. They are committed together.', {
    buckets: GROUP_SIZES,
  });
  const noteGroup = histogram(
    'taskgraph_group_duration_seconds',
    'Time from the forming of a group to the end of its attempts. Excludes large commands, which commit alone.',
    {
      buckets: WAITING_SECONDS,
    },
  );
  const noteCommit = histogram(
    'taskgraph_commit_duration_seconds',
    'Duration of the commit, or of the single statement that writes and commits a group. Excludes large commands, which commit alone.',
    {
      buckets: WAITING_SECONDS,
    },
  );
  const counters = {
    failures: counter('taskgraph_group_failures_total', 'Failed transactions of groups, by reason.', ['failure']),
    leases: counter('taskgraph_lease_changes_total', 'Partitions that this worker took over or gave up.', ['change']),
    statements: counter(
      'taskgraph_statements_total',
      'Statements sent to the database, by purpose. Excludes large commands, which commit alone.',
      ['pool'],
    ),
    slices: counter('taskgraph_slices_published_total', 'Slices of committed groups, sent to gateways.', []),
    lost: counter('taskgraph_publications_lost_total', 'Messages about committed changes that could not be sent.', []),
    late: counter('taskgraph_late_total', 'Commands and reads refused because their deadline had passed.', []),
    ahead: counter(
      'taskgraph_ahead_groups_total',
      'Groups with an owner whose newest batch is dated more than a second in the future.',
      [],
    ),
    cacheOutcomes: counter(
      'taskgraph_recollections_total',
      'Groups by use of the graph cache: it sufficed (`did`), something was missing (`lacked`), or it was stale (`stale`).',
      ['outcome'],
    ),
    readsRefused: counter('taskgraph_reads_refused_total', 'Reads refused because too many waited.', []),
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
    watch({
      aheadMs,
      waiting,
      waitingReads,
      waitingHeavyReads,
      partitions,
      pages,
      pageCache,
      nodeIndexes,
      cacheBytes,
    }) {
      gauge(
        'taskgraph_clock_ahead_seconds',
        "How far the machine's clock is ahead of the database's clock.",
        [],
        () => aheadMs() / 1_000,
      );
      gauge('taskgraph_waiting_commands', 'Commands waiting in the mailboxes.', [], () => waiting().commands);
      gauge('taskgraph_waiting_bytes', 'Bytes of payload waiting in the mailboxes.', [], () => waiting().bytes);
      gauge(
        'taskgraph_waiting_alone',
        'Large commands waiting for their turn to commit alone.',
        [],
        () => waiting().large,
      );
      gauge('taskgraph_waiting_reads', 'Reads waiting for their turn.', [], waitingReads);
      gauge('taskgraph_waiting_heavy_reads', 'Waiting reads of readers who read much recently.', [], waitingHeavyReads);
      gauge('taskgraph_page_bytes', 'Memory reserved for pages in progress.', [], pages.takenBytes);
      gauge('taskgraph_waiting_pages', 'Reads waiting for page memory.', [], pages.waiting);
      gauge('taskgraph_remembered_bytes', 'Memory of the graph cache.', [], cacheBytes);
      gauge(
        'taskgraph_kept_page_bytes',
        'Memory of the page cache. Long pages may be compressed.',
        [],
        pageCache.bytes,
      );
      gauge('taskgraph_search_index_bytes', 'Memory of the search indexes.', [], nodeIndexes.bytes);
      counter('taskgraph_kept_pages_total', 'Pages served from the page cache.', [], () => pageCache.counts().hits);
      counter(
        'taskgraph_made_pages_total',
        'Graph pages that were built because the page cache had none.',
        [],
        () => pageCache.counts().misses,
      );
      counter('taskgraph_refused_pages_total', 'Reads refused for lack of page memory.', [], pages.refused);
      gauge(
        'taskgraph_partitions',
        'Partitions that this worker serves. All workers together serve 64.',
        [],
        partitions,
      );
    },
  };
}

const NO_LABELS = {};
