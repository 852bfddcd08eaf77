import { provisionalId } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { changeMarks } from './change-marks.ts';

const command = (event: string, payload: Readonly<Record<string, unknown>>, key = 'key') =>
  ({ key, event, payload }) as Parameters<typeof changeMarks>[0][number];

test('[CON39] a change marks the tasks that it adds, changes or links', () => {
  const operations = [
    { event: 'node:update', payload: { id: 'updated', status: 3 } },
    { event: 'node:add', payload: { title: 'Another' } },
    { event: 'node:trash', payload: { id: 'trashed' } },
  ];
  const waiting = [
    command('node:add', { title: 'New', target: 'parent' }),
    command('link:add', { source: 'first', target: 'second' }),
    command('batch:run', { operations }, 'other'),
    command('batch:undo', { batchId: 'batch' }),
  ];
  expect([...changeMarks(waiting, []).keys()]).toEqual([provisionalId('key'), 'first', 'second', 'updated', 'trashed']);
});

test('[CON39] a refused change of a task counts more than one that waits', () => {
  const waiting = [command('node:update', { id: 'both' }), command('node:update', { id: 'waits' })];
  const refused = [command('node:update', { id: 'both' })];
  expect([...changeMarks(waiting, refused)]).toEqual([
    ['both', 'refused'],
    ['waits', 'waiting'],
  ]);
});
