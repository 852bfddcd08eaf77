import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { redoLast, undoLast } from './undo.ts';

test('[CON10] undo and redo wait for a change that is on its way', async () => {
  const listeners = new Map<string, (event: object) => void>();
  const sent: unknown[] = [];
  const replica = {
    waiting: 0,
    on: (kind: string, listener: (event: object) => void) => listeners.set(kind, listener),
    async send(event: string, { batchId }: { readonly batchId: string }) {
      sent.push([event, batchId]);
      listeners.get('command:done')?.({ answer: event === 'batch:undo' ? { undoOf: batchId } : { redoOf: batchId } });
    },
  };
  const opened = replica as unknown as Replica;
  await undoLast(opened);
  listeners.get('command:done')?.({ answer: { diff: { batchId: 'a', nodes: [], links: [] } } });
  replica.waiting = 1;
  await undoLast(opened);
  expect(sent).toEqual([]);
  replica.waiting = 0;
  await undoLast(opened);
  expect(sent).toEqual([['batch:undo', 'a']]);
  replica.waiting = 1;
  await redoLast(opened);
  replica.waiting = 0;
  await redoLast(opened);
  expect(sent).toEqual([
    ['batch:undo', 'a'],
    ['batch:redo', 'a'],
  ]);
});
