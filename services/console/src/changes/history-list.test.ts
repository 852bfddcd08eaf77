import type { HistoryBatch, HistoryPage, ReplicaEvents } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { createHistoryList } from './history-list.ts';

const pageOf = (...ids: string[]): HistoryPage =>
  ({ batches: ids.map((batchId) => ({ batchId, undone: false, ops: [] })), next: null }) as unknown as HistoryPage;
const idsOf = (batches: readonly HistoryBatch[]) => batches.map(({ batchId }) => batchId);

/** A list, its reads to answer one by one, and the events of its replica. */
function createList() {
  const listeners = new Map<string, (event: never) => void>();
  const replica = {
    username: 'ann',
    state: 'live' as const,
    on(kind: string, listener: (event: never) => void) {
      listeners.set(kind, listener);
      return () => void listeners.delete(kind);
    },
  };
  const reads: ((page: HistoryPage) => void)[] = [];
  const list = createHistoryList(replica, 'everyone', () => new Promise((answer) => reads.push(answer)));
  list.start();
  const emit = (kind: keyof ReplicaEvents, event: object) => listeners.get(kind)?.(event as never);
  const answer = async (page: HistoryPage) => {
    reads.shift()?.(page);
    await new Promise(setImmediate);
  };
  return { list, reads, emit, answer };
}

test('[CON10] the pages go at once when a task or the access leaves, and are read again', async () => {
  const { list, reads, emit, answer } = createList();
  await answer(pageOf('a', 'b'));
  expect(idsOf(list.content().batches)).toEqual(['a', 'b']);
  emit('node:removed', { id: 'node' });
  expect(list.content()).toMatchObject({ batches: [], state: 'loading', drops: 1 });
  emit('access', {});
  emit('node:removed', { id: 'other' });
  // The read on its way is older than the last drop: nothing of it shows.
  expect(reads).toHaveLength(1);
  await answer(pageOf('a', 'b'));
  expect(list.content().batches).toEqual([]);
  expect(reads).toHaveLength(1);
  await answer(pageOf('b'));
  expect(list.content()).toMatchObject({ state: 'loaded' });
  expect(idsOf(list.content().batches)).toEqual(['b']);
  expect(reads).toHaveLength(0);
});

test('[CON10] the pages stay when a task goes to the trash, or gets its real id', async () => {
  const { list, reads, emit, answer } = createList();
  await answer(pageOf('a'));
  emit('slice', { batchId: 'b', nodes: [{ op: 3, before: { id: 'node' }, after: { id: 'node' } }] });
  emit('node:removed', { id: 'node' });
  emit('command:done', { answer: { diff: { nodes: [{ op: 3, before: {}, after: { id: 'own' } }] } } });
  emit('node:removed', { id: 'own' });
  emit('node:removed', { id: 'pending:node:1' });
  expect(idsOf(list.content().batches)).toEqual(['a']);
  expect([...list.content().newer]).toEqual(['b']);
  expect(reads).toHaveLength(0);
});
