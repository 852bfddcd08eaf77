import { expect, test } from 'vitest';
import type { HistoryPage } from './calls.ts';
import { followHistory, type HistoryQuery } from './follow-history.ts';

const scope: HistoryQuery = { scopeType: 'GRAPH', scopeId: 'ann' };
const batch = (batchId: string) => ({ batchId }) as HistoryPage['batches'][number];
const pageOf = (next: string, hasMore: boolean, ...ids: string[]): HistoryPage => ({
  hasMore,
  next,
  batches: ids.map(batch),
  trace_id: '',
});

test('[HISX1] the pages with batches come in order, and each call continues from the one before', async () => {
  const pages = [pageOf('1', true, 'a', 'b'), pageOf('2', true), pageOf('3', false, 'c'), pageOf('3', false)];
  const calls: unknown[] = [];
  const abort = new AbortController();
  const read = async (payload: object) => {
    calls.push(payload);
    const page = pages[calls.length - 1] as HistoryPage;
    // The last page is empty: it waits for more until it is aborted.
    if (calls.length === pages.length) queueMicrotask(() => abort.abort());
    return page;
  };
  const followed: string[] = [];
  const options = { signal: abort.signal, intervalMs: 1 };
  for await (const { batches, next } of followHistory(read, { ...scope, after: '0', ops: [1] }, options)) {
    followed.push(...batches.map(({ batchId }) => batchId), next);
  }
  expect(followed).toEqual(['a', 'b', '1', 'c', '3']);
  const common = { ...scope, ops: [1], order: 'oldest' };
  expect(calls).toEqual(['0', '1', '2', '3'].map((after) => ({ ...common, after })));
});

test('an aborted iteration ends, also while it waits', async () => {
  const abort = new AbortController();
  const read = async () => {
    queueMicrotask(() => abort.abort());
    return pageOf('1', false);
  };
  const hour = { signal: abort.signal, intervalMs: 3_600_000 };
  for await (const page of followHistory(read, scope, hour)) expect(page).toBeUndefined();
  for await (const page of followHistory(read, scope, hour)) expect(page).toBeUndefined();
});
