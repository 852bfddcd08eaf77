import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSliceOrder, type Gap, type Slice } from './slice-order.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function recorded() {
  const seen: number[] = [];
  const gaps: Gap[] = [];
  const order = createSliceOrder({
    deliver: (slice) => void seen.push(slice.seq),
    onGap: (gap) => void gaps.push(gap),
    gapWaitMs: () => 300,
  });
  return { seen, gaps, order };
}
const slice = (seq: number, more = {}) => ({ feed: 'user:1', seq, ...more }) as Slice;

it('[EVT1] delivers in order of seq, each once', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 4 });
  for (const seq of [6, 5, 5, 8, 7, 4, 6]) order.take(slice(seq));
  vi.runAllTimers();
  expect(seen).toEqual([5, 6, 7, 8]);
  expect(gaps).toEqual([]);
});

it('waits for a hole, then reports it and goes on', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  for (const seq of [2, 5, 6, 9]) order.take(slice(seq));
  vi.advanceTimersByTime(299);
  expect(seen).toEqual([2]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual([2, 5, 6]);
  vi.runAllTimers();
  expect(seen).toEqual([2, 5, 6, 9]);
  expect(gaps.map(({ from, to }) => [from, to])).toEqual([
    [3, 4],
    [7, 8],
  ]);
});

it('reports at once what was missed while the connection was lost', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  order.take(slice(4));
  order.start({ 'user:1': 6 });
  order.take(slice(7));
  vi.runAllTimers();
  expect(seen).toEqual([7]);
  expect(gaps).toEqual([{ feed: 'user:1', from: 2, to: 6 }]);
});

it('starts a feed that was not announced at its first slice, and takes a marker for a gap', () => {
  const { seen, gaps, order } = recorded();
  order.take(slice(7));
  order.take(slice(8, { truncated: true }));
  order.take(slice(9));
  expect(seen).toEqual([7, 9]);
  expect(gaps).toEqual([{ feed: 'user:1', from: 8, to: 8 }]);
});

it('[EVT2] takes all that came before in a feed that was gained later for a gap, and in no feed that was there at first', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 4 });
  order.announce({ 'root:a': 7 });
  order.take({ ...slice(8), feed: 'root:a' });
  order.take({ ...slice(3), feed: 'root:b' });
  order.take({ ...slice(1), feed: 'root:c' });
  order.start({ 'user:1': 4, 'root:a': 8, 'root:b': 3, 'root:c': 1, 'root:d': 2 });
  vi.runAllTimers();
  expect(seen).toEqual([8, 3, 1]);
  expect(gaps).toEqual([
    { feed: 'root:a', from: 1, to: 7 },
    { feed: 'root:b', from: 1, to: 2 },
    { feed: 'root:d', from: 1, to: 2 },
  ]);
});

it('gives a hole up at once when too much waits behind it', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 0 });
  for (let seq = 2; seq <= 1_001; seq++) order.take(slice(seq));
  expect(seen).toHaveLength(1_000);
  expect(gaps).toEqual([{ feed: 'user:1', from: 1, to: 1 }]);
});

it('[EVT1] notices that the newest slices are missing when the heads tell of them', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  order.announce({ 'user:1': 4 });
  order.take(slice(2));
  vi.advanceTimersByTime(299);
  expect(gaps).toEqual([]);
  vi.advanceTimersByTime(301);
  expect(gaps.map(({ from, to }) => [from, to])).toEqual([[3, 4]]);
  order.take(slice(5));
  expect(seen).toEqual([2, 5]);
  vi.runAllTimers();
  expect(gaps).toHaveLength(1);
});

it('[EVT1] takes slices that were announced and come in time for what they are', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  order.announce({ 'user:1': 3 });
  for (const seq of [3, 2]) order.take(slice(seq));
  vi.runAllTimers();
  expect(seen).toEqual([2, 3]);
  expect(gaps).toEqual([]);
});
