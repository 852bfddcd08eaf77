import type { HistoryBatch } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { type EntityNames, namesIn, sentencesOf } from './batch-text.ts';

type Patch = Record<string, unknown>;

const operation = (type: number, entityId: string, forwardPatch: Patch, inversePatch: Patch = {}) =>
  ({ id: 1, type, entityId, forwardPatch, inversePatch, guard: {}, createdTime: '' }) as HistoryBatch['ops'][number];

const NAMES: EntityNames = {
  title: (id) => ({ a: 'Write', b: 'Print' })[id],
  ends: (id) => (id === 'ab' ? { source: 'a', target: 'b' } : undefined),
};

const text = (...ops: HistoryBatch['ops']) => sentencesOf({ ops }, NAMES);

test('[CON10] each kind of change has a sentence', () => {
  expect(
    text(
      operation(0, 'a', { Title: 'Write' }),
      operation(1, 'a', { Title: 'Write', Version: 2 }, { Title: 'Draft', Version: 1 }),
      operation(1, 'a', { Volume: 5, Tags: [], X: 1 }, { Volume: 0, Tags: ['web', 'shop'], X: 0 }),
      operation(1, 'a', { DueDate: '2026-12-24T23:59:59.000Z' }, { DueDate: null }),
      operation(1, 'a', { Description: 'x' }, { Description: '' }),
      operation(1, 'a', { X: 1, Y: 2 }, { X: 0, Y: 0 }),
      operation(2, 'a', { Status: 3 }, { Status: 1 }),
      operation(2, 'b', { Status: 0 }, { Status: 2 }),
      operation(3, 'a', { InTrash: true }),
      operation(4, 'a', { InTrash: false }),
      operation(5, 'gone', {}),
    ),
  ).toEqual([
    'Added “Write”.',
    'Renamed “Draft” to “Write”.',
    'Changed “Write”: effort from 0 to 5 and tags from web and shop to nothing.',
    'Changed “Write”: due date from nothing to 24 Dec 2026.',
    'Changed “Write”: description.',
    'Moved “Write” in the graph.',
    'Completed “Write”.',
    '“Print” became available.',
    'Moved “Write” to the trash.',
    'Restored “Write” from the trash.',
    'Deleted a task that you cannot see for good.',
  ]);
});

test('[CON10] links, publications and access have sentences', () => {
  expect(
    text(
      operation(10, 'ab', { Source: 'a', Target: 'b', Type: 0 }),
      operation(11, 'ab', { Type: 1 }, { Type: 0 }),
      operation(11, 'ab', { Private: true }, { Private: false }),
      operation(12, 'ab', { InTrash: true }),
      operation(13, 'ab', { Type: 1 }),
      operation(15, 'ab', { Source: 'b', Target: 'a' }, { Source: 'a', Target: 'b' }),
      operation(6, 'a', { PublicToken: 'x' }, { PublicToken: null }),
      operation(6, 'a', { PublicToken: null }, { PublicToken: 'x' }),
      operation(20, 'a', { Email: 'bob@example.com', Level: 2 }),
      operation(22, 'a', {}, { Email: 'bob@example.com', Level: 2 }),
      operation(99, 'a', {}),
    ),
  ).toEqual([
    'Made “Print” wait for “Write”.',
    'Made the link from “Write” to “Print” non-blocking.',
    'Made the link from “Write” to “Print” private.',
    'Removed the link from “Write” to “Print”.',
    'Related “Print” and “Write”.',
    'Made “Write” wait for “Print”.',
    'Published “Write”.',
    'Ended the publication of “Write”.',
    'Shared “Write” with bob@example.com as editor.',
    'Ended the access of bob@example.com to “Write”.',
    'Made another change.',
  ]);
});

test('[CON10] a task that is gone has the last title that the history knows', () => {
  const batch = (ops: HistoryBatch['ops']) => ({ ops }) as HistoryBatch;
  const none: EntityNames = { title: () => undefined, ends: () => undefined };
  const names = namesIn(
    [batch([operation(1, 'c', { Title: 'New' }, { Title: 'Old' })]), batch([operation(0, 'c', { Title: 'Old' })])],
    none,
  );
  expect(sentencesOf({ ops: [operation(3, 'c', {}), operation(12, 'cd', {})] }, names)).toEqual([
    'Moved “New” to the trash.',
    'Removed the link from a task that you cannot see to a task that you cannot see.',
  ]);
});
