import type { Replica, ReplicaEvents } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { createOwnChanges } from './own-changes.ts';

interface Answer {
  readonly undoOf?: string;
  readonly redoOf?: string;
  readonly diff: { readonly batchId: string | null };
}

/** The changes of a window, and what ends its commands. */
function createWindow() {
  const listeners = new Map<string, (event: never) => void>();
  const replica = {
    on(kind: string, added: (event: never) => void) {
      listeners.set(kind, added);
      return () => undefined;
    },
  } as unknown as Pick<Replica, 'on'>;
  const changes = createOwnChanges(replica);
  const emit = (kind: keyof ReplicaEvents, event: object) => listeners.get(kind)?.(event as never);
  const done = (answer: Answer) =>
    emit('command:done', { answer: { ...answer, diff: { nodes: [], links: [], ...answer.diff } } });
  return { changes, change: (batchId: string | null, parts = {}) => done({ diff: { batchId, ...parts } }), done, emit };
}

test('[CON10] undo takes the last change first, and redo the last that was undone', () => {
  const { changes, change, done } = createWindow();
  for (const batch of ['a', 'b', 'c']) change(batch);
  changes.describe('c', 'Started “C”.');
  expect(changes.takeLast()).toEqual({ batch: 'c', text: 'Started “C”.' });
  done({ undoOf: 'c', diff: { batchId: 'undo c' } });
  expect(changes.takeLast()?.batch).toBe('b');
  done({ undoOf: 'b', diff: { batchId: 'undo b' } });
  expect(changes.takeUndone()?.batch).toBe('b');
  done({ redoOf: 'b', diff: { batchId: 'redo b' } });
  expect([changes.takeUndone()?.batch, changes.takeUndone()]).toEqual(['c', undefined]);
  expect([changes.takeLast()?.batch, changes.takeLast()?.batch, changes.takeLast()]).toEqual(['b', 'a', undefined]);
});

test('[CON10] a new change ends what can be redone; one without effect does not', () => {
  const { changes, change, done } = createWindow();
  change('a');
  changes.takeLast();
  done({ undoOf: 'a', diff: { batchId: 'undo a' } });
  change(null);
  expect(changes.takeUndone()?.batch).toBe('a');
  done({ undoOf: 'a', diff: { batchId: 'undo a' } });
  change('b');
  expect(changes.takeUndone()).toBeUndefined();
});

test('[CON10] an undo in the history counts, and one of a change that is not of this window does not', () => {
  const { changes, change, done } = createWindow();
  change('a');
  change('b');
  done({ undoOf: 'a', diff: { batchId: 'undo a' } });
  done({ undoOf: 'older', diff: { batchId: 'undo older' } });
  expect([changes.takeLast()?.batch, changes.takeLast()]).toEqual(['b', undefined]);
  expect([changes.takeUndone()?.batch, changes.takeUndone()]).toEqual(['a', undefined]);
});

test('the oldest changes are forgotten', () => {
  const { changes, change } = createWindow();
  for (let count = 0; count < 150; count++) change(`batch ${count}`);
  let taken = 0;
  while (changes.takeLast() !== undefined) taken++;
  expect(taken).toBe(100);
});

test('[CON10] a text goes when the reader no longer sees a task of it, and stays when it is in the trash', () => {
  const { changes, change, emit } = createWindow();
  const node = (id: string) => ({ nodes: [{ op: 1, before: {}, after: { id } }] });
  change('a', node('1'));
  change('b', { links: [{ op: 10, before: {}, after: { id: 'link', source: '2', target: '3' } }] });
  change('c', node('4'));
  for (const batch of ['a', 'b', 'c']) changes.describe(batch, `Changed ${batch}.`);
  const texts = () => ['a', 'b', 'c'].map((batch) => changes.textOf(batch));
  emit('slice', { nodes: [{ op: 3, before: { id: '4' }, after: {} }] });
  for (const id of ['3', '4', 'unnamed']) emit('node:removed', { id });
  expect(texts()).toEqual(['Changed a.', undefined, 'Changed c.']);
  // The reader's own task leaves the graph before the service answers.
  emit('node:removed', { id: '1' });
  change('d', { nodes: [{ op: 3, before: { id: '1' }, after: {} }] });
  expect(texts()).toEqual(['Changed a.', undefined, 'Changed c.']);
  emit('node:added', { node: { id: '4' } });
  emit('node:removed', { id: '4' });
  expect(texts()).toEqual(['Changed a.', undefined, undefined]);
  emit('access', {});
  expect(texts()).toEqual([undefined, undefined, undefined]);
  expect(changes.takeLast()).toEqual({ batch: 'd', text: undefined });
});
