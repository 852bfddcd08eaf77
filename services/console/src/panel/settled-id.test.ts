import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { firstIdOf, onRealId } from './settled-id.ts';

test('[CON9] a panel follows its task from the provisional id to the real one', () => {
  const listeners = new Set<(event: object) => void>();
  const replica = {
    on(_kind: string, listener: (event: object) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  } as unknown as Pick<Replica, 'on'>;
  const emit = (ids: object) => listeners.forEach((listener) => void listener({ ids }));
  const settled: string[] = [];
  const end = onRealId(replica, 'pending:node:1', (real) => settled.push(real));
  emit({ 'pending:node:2': 'b' });
  expect([settled, firstIdOf(replica, 'a')]).toEqual([[], 'a']);
  emit({ 'pending:node:1': 'a' });
  expect(settled).toEqual(['a']);
  expect([firstIdOf(replica, 'a'), firstIdOf(replica, 'b')]).toEqual(['pending:node:1', 'b']);
  end();
  expect(listeners.size).toBe(0);
});
