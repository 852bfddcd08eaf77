// The metrics that a complete worker declares.
import type { MetricDescription } from '@taskgraph/runtime/telemetry/metrics';
import { createWorkerMetrics } from '../../metrics.ts';
import { createPageCache } from '../../reads/cache/page-cache.ts';
import { createNodeIndexes } from '../../reads/find/node-indexes.ts';
import { pagesOf } from './whole-reads.ts';

export function describedMetrics(): readonly MetricDescription[] {
  const { metrics, watch } = createWorkerMetrics();
  watch({
    aheadMs: () => 0,
    waiting: () => ({ commands: 0, bytes: 0, large: 0 }),
    waitingReads: () => 0,
    waitingHeavyReads: () => 0,
    partitions: () => 0,
    pages: pagesOf(),
    pageCache: createPageCache(0),
    nodeIndexes: createNodeIndexes(0),
    cacheBytes: () => 0,
  });
  return metrics.describe();
}
