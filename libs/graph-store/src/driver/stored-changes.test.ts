// Parsing of long stored changes.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { expect, test } from 'vitest';
import { changeChunksOf } from './stored-changes.ts';

const change = (id: string, title: string) =>
  ({ op: 1, kind: 'node', id, before: { Title: '', tags: ['[', '},{'] }, after: { title, tags: [] } }) as StoredChange;

/** Texts that a naive split would break. */
const AWKWARD = ['"', '\\', '\\"', '\\\\', '},{"kind":"node"', ']', '[{', '\n', '😀', ''];

test.each([0, 1, 5_000])('[GEN11] %i changes are returned completely, once and in order', (count) => {
  const changes = Array.from({ length: count }, (_, index) =>
    change(String(index), `${AWKWARD[index % AWKWARD.length]}${'x'.repeat(index % 700)}`),
  );
  const portions = [...changeChunksOf(JSON.stringify(changes))];
  expect(portions.flat()).toEqual(changes);
  // About 2 MB are split, and no chunk is much longer than the others.
  expect(portions.length).toBe(count > 1 ? Math.ceil(JSON.stringify(changes).length / 500_000) : 1);
  for (const portion of portions) expect(JSON.stringify(portion).length).toBeLessThan(502_000);
});

test('[GEN11] a single change longer than a chunk is returned completely', () => {
  const changes = [change('1', 'y'.repeat(600_000)), change('2', '"'), change('3', 'z'.repeat(600_000))];
  expect([...changeChunksOf(JSON.stringify(changes))].flat()).toEqual(changes);
});
