// When undo and redo act, and on what: a change on its way comes first.
import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { redoLast, undoLast } from './undo.ts';

/** A replica that answers an undo and a redo at once, and other commands when the test says so. */
function replicaOfTest() {
  const listeners = new Map<string, Set<(event: object) => void>>();
  const emit = (kind: string, event: object) => {
    for (const listener of [...(listeners.get(kind) ?? [])]) listener(event);
  };
  const sent: unknown[] = [];
  const replica = {
    waiting: 0,
    state: 'live',
    on(kind: string, listener: (event: object) => void) {
      const known = listeners.get(kind) ?? new Set();
      listeners.set(kind, known.add(listener));
      return () => known.delete(listener);
    },
    async send(event: string, { batchId }: { readonly batchId: string }) {
      sent.push([event, batchId]);
      emit('command:done', { answer: event === 'batch:undo' ? { undoOf: batchId } : { redoOf: batchId } });
    },
  };
  return {
    replica,
    opened: replica as unknown as Replica,
    sent,
    done: (batchId: string) => emit('command:done', { answer: { diff: { batchId, nodes: [], links: [] } } }),
    listeners: () => [...listeners.values()].reduce((sum, each) => sum + each.size, 0),
  };
}

test('[CON10] undo and redo wait for a change that is on its way, and mean that one', async () => {
  const { replica, opened, sent, done, listeners } = replicaOfTest();
  await undoLast(opened);
  const before = listeners();
  replica.waiting = 1;
  const undoing = undoLast(opened);
  expect(sent).toEqual([]);
  // Counted after it is reported.
  done('a');
  replica.waiting = 0;
  await undoing;
  await redoLast(opened);
  expect(sent).toEqual([
    ['batch:undo', 'a'],
    ['batch:redo', 'a'],
  ]);
  expect(listeners()).toBe(before);
});

test('[CON10] without a connection nothing is undone later by surprise', async () => {
  const { replica, opened, sent, done } = replicaOfTest();
  await undoLast(opened);
  done('a');
  replica.waiting = 1;
  replica.state = 'offline';
  await undoLast(opened);
  await redoLast(opened);
  expect(sent).toEqual([]);
  replica.waiting = 0;
  replica.state = 'live';
  await undoLast(opened);
  expect(sent).toEqual([['batch:undo', 'a']]);
});
