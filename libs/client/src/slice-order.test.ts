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

it('waits for a gap, then reports it and continues', () => {
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

it('reports a gap over a lost connection at once', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  order.take(slice(4));
  order.start({ 'user:1': 6 });
  order.take(slice(7));
  vi.runAllTimers();
  expect(seen).toEqual([7]);
  expect(gaps).toEqual([{ feed: 'user:1', from: 2, to: 6 }]);
});

it('starts an unannounced feed at its first slice, and reports a marker as a gap', () => {
  const { seen, gaps, order } = recorded();
  order.take(slice(7));
  order.take(slice(8, { truncated: true }));
  order.take(slice(9));
  expect(seen).toEqual([7, 9]);
  expect(gaps).toEqual([{ feed: 'user:1', from: 8, to: 8 }]);
});

it('[EVT2] reports the slices before the first one as a gap in a feed that is gained later, but not in an initial feed', () => {
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

it('reports a gap at once if too many slices wait behind it', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 0 });
  for (let seq = 2; seq <= 1_001; seq++) order.take(slice(seq));
  expect(seen).toHaveLength(1_000);
  expect(gaps).toEqual([{ feed: 'user:1', from: 1, to: 1 }]);
});

it('[EVT1] detects missing newest slices by the announced heads', () => {
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

it('[EVT1] delivers announced slices that arrive in time', () => {
  const { seen, gaps, order } = recorded();
  order.start({ 'user:1': 1 });
  order.announce({ 'user:1': 3 });
  for (const seq of [3, 2]) order.take(slice(seq));
  vi.runAllTimers();
  expect(seen).toEqual([2, 3]);
  expect(gaps).toEqual([]);
});
