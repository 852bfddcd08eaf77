import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { afterEach, expect, it, vi } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

afterEach(() => {
  vi.useRealTimers();
});

/**
 * A loader whose requests are answered by hand: the value of each key is the number of its request,
 * counted from 0.
 */
function setUp(most = 100) {
  const requests: { keys: string[]; answer(outcome?: Refusal): void; fail(error: Error): void }[] = [];
  const ask = createBatchLoader<string, number>({
    most,
    load: (asked) =>
      new Promise((resolve, reject) => {
        const number = requests.length;
        const keys = [...asked.keys()];
        const answers = new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, number]));
        requests.push({ keys, answer: (outcome) => resolve(outcome ?? answers), fail: reject });
      }),
  });
  return {
    requests,
    ask: (key: string) => ask(key, key),
    left: (count: number) => expect.poll(() => requests).toHaveLength(count),
  };
}

it('concurrent look-ups share a request, and equal ones share a key', async () => {
  const { requests, ask, left } = setUp();
  const outcomes = Promise.all(['a', 'b', 'a', 'nobody'].map(ask));
  await left(1);
  expect(requests[0]?.keys).toEqual(['a', 'b', 'nobody']);
  requests[0]?.answer();
  expect(await outcomes).toEqual([0, 0, 0, null]);
});

it('[ACL7 AUTH2] a look-up never joins a request in flight; queued look-ups share the next one', async () => {
  const { requests, ask, left } = setUp();
  const early = ask('a');
  await left(1);
  const late = Promise.all([ask('a'), ask('b'), ask('a')]);
  requests[0]?.answer();
  expect(await early).toBe(0);
  await left(2);
  expect(requests[1]?.keys).toEqual(['a', 'b']);
  requests[1]?.answer();
  expect(await late).toEqual([1, 1, 1]);
});

it('an unanswered request does not block the next one for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { requests, ask, left } = setUp();
  void ask('a');
  await left(1);
  const late = ask('b');
  await new Promise(setImmediate);
  expect(requests).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  await left(2);
  requests[1]?.answer();
  expect(await late).toBe(1);
});

it('small requests are sent at intervals, so that they grow under load', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { requests, ask, left } = setUp();
  const first = ask('a');
  await new Promise(setImmediate);
  requests[0]?.answer();
  await first;
  void ask('b');
  await new Promise(setImmediate);
  vi.advanceTimersByTime(10);
  void ask('c');
  await new Promise(setImmediate);
  expect(requests).toHaveLength(1);
  vi.advanceTimersByTime(10);
  await left(2);
  expect(requests[1]?.keys).toEqual(['b', 'c']);
});

it('a request has a bounded number of keys, and full requests are sent concurrently', async () => {
  const { requests, ask, left } = setUp(2);
  const outcomes = Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
  await left(2);
  expect(requests.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  for (const { answer } of requests) answer();
  await left(3);
  requests[2]?.answer();
  expect(await outcomes).toEqual([0, 0, 1, 1, 2]);
});

it('a request with too long an answer is halved; other refusals and failures reach the callers', async () => {
  const { requests, ask, left } = setUp();
  const outcomes = Promise.all(['a', 'b', 'c'].map(ask));
  await left(1);
  requests[0]?.answer(refuse('internal.too_large', 'Too long.'));
  await left(2);
  requests[1]?.answer();
  await left(3);
  expect(requests.map(({ keys }) => keys)).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c']]);
  requests[2]?.answer(refuse('internal.too_large', 'Too long.'));
  expect(await outcomes).toMatchObject([1, 1, { code: 'internal.too_large' }]);
  const failing = ask('d');
  await left(4);
  requests[3]?.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
});

it('look-ups beyond the bound are refused', async () => {
  const { requests, ask, left } = setUp();
  void ask('first');
  await left(1);
  for (let at = 0; at < 10_000; at++) void ask(`waiting ${at}`);
  expect(await ask('one more')).toMatchObject({ code: 'unavailable' });
  expect(requests).toHaveLength(1);
});
