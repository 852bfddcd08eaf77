import type { Replica, ReplicaEvents, TrashPage } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { createTrashList } from './trash-list.ts';

const pageOf = (ids: readonly string[], hasMore = false) =>
  ({ nodes: ids.map((id) => ({ id })), links: [], hasMore }) as unknown as TrashPage;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => String(from + index));

/** A list, its reads to answer one by one, and the events of its replica. */
function createList() {
  const listeners = new Map<string, (event: never) => void>();
  const reads: { readonly offset: number; readonly answer: (page: TrashPage) => void }[] = [];
  const replica = {
    on(kind: string, listener: (event: never) => void) {
      listeners.set(kind, listener);
      return () => void listeners.delete(kind);
    },
    call: (_event: string, { offset }: { readonly offset: number }) =>
      new Promise((answer) => reads.push({ offset, answer })),
  } as unknown as Pick<Replica, 'on' | 'call'>;
  const list = createTrashList(replica);
  list.start();
  const emit = (kind: keyof ReplicaEvents, event: object) => listeners.get(kind)?.(event as never);
  const answer = async (page: TrashPage) => {
    reads.shift()?.answer(page);
    await new Promise(setImmediate);
  };
  const ids = () => list.content().tasks.map(({ id }) => id);
  return { list, reads, emit, answer, ids };
}

test('[CON11] the list is empty at once when the access changes, and is read again', async () => {
  const { list, reads, emit, answer, ids } = createList();
  await answer(pageOf(['a', 'b']));
  expect(ids()).toEqual(['a', 'b']);
  emit('access', {});
  expect([ids(), list.content().state]).toEqual([[], 'loading']);
  emit('access', {});
  // The read on its way is older than the last change: nothing of it shows.
  expect(reads).toHaveLength(1);
  await answer(pageOf(['a', 'b']));
  expect(ids()).toEqual([]);
  await answer(pageOf(['b']));
  expect([ids(), list.content().state, reads.length]).toEqual([['b'], 'loaded', 0]);
});

test('[CON11] more and a push that arrives meanwhile run one at a time', async () => {
  const { list, reads, emit, answer, ids } = createList();
  await answer(pageOf(numbers(0, 100), true));
  void list.more();
  expect(reads.map(({ offset }) => offset)).toEqual([100]);
  emit('slice', { nodes: [{ op: 3, before: {}, after: { id: 'new' } }] });
  expect(reads).toHaveLength(1);
  await answer(pageOf(numbers(100, 150)));
  expect(reads.map(({ offset }) => offset)).toEqual([0]);
  await answer(pageOf(['new', ...numbers(0, 150)]));
  expect([ids().length, ids()[0], reads.length]).toEqual([151, 'new', 0]);
});

test('[CON11] a task is hidden while its command runs', async () => {
  const { list, answer, ids } = createList();
  await answer(pageOf(['a', 'b']));
  list.hide('a');
  expect(ids()).toEqual(['b']);
  list.show('a');
  expect(ids()).toEqual(['a', 'b']);
});
