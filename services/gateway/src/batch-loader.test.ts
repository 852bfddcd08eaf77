import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { afterEach, expect, it, vi } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

afterEach(() => {
  vi.useRealTimers();
});

/**
 * A gathering whose questions are answered by hand: each key by its number of the question, counted
 * from 0.
 */
function setUp(most = 100) {
  const questions: { keys: string[]; answer(outcome?: Refusal): void; fail(error: Error): void }[] = [];
  const ask = createBatchLoader<string, number>({
    most,
    load: (asked) =>
      new Promise((resolve, reject) => {
        const number = questions.length;
        const keys = [...asked.keys()];
        const answers = new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, number]));
        questions.push({ keys, answer: (outcome) => resolve(outcome ?? answers), fail: reject });
      }),
  });
  return {
    questions,
    ask: (key: string) => ask(key, key),
    left: (count: number) => expect.poll(() => questions).toHaveLength(count),
  };
}

it('asks for all of a moment at once, and once for those that ask alike', async () => {
  const { questions, ask, left } = setUp();
  const outcomes = Promise.all(['a', 'b', 'a', 'nobody'].map(ask));
  await left(1);
  expect(questions[0]?.keys).toEqual(['a', 'b', 'nobody']);
  questions[0]?.answer();
  expect(await outcomes).toEqual([0, 0, 0, null]);
});

it('[ACL7 AUTH2] gives nobody an answer that was begun before they asked, and lets all that wait share the next one', async () => {
  const { questions, ask, left } = setUp();
  const early = ask('a');
  await left(1);
  const late = Promise.all([ask('a'), ask('b'), ask('a')]);
  questions[0]?.answer();
  expect(await early).toBe(0);
  await left(2);
  expect(questions[1]?.keys).toEqual(['a', 'b']);
  questions[1]?.answer();
  expect(await late).toEqual([1, 1, 1]);
});

it('goes on beside a question that nobody answers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { questions, ask, left } = setUp();
  void ask('a');
  await left(1);
  const late = ask('b');
  await new Promise(setImmediate);
  expect(questions).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  await left(2);
  questions[1]?.answer();
  expect(await late).toBe(1);
});

it('lets small questions leave some time apart, so that they grow where many come', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { questions, ask, left } = setUp();
  const first = ask('a');
  await new Promise(setImmediate);
  questions[0]?.answer();
  await first;
  void ask('b');
  await new Promise(setImmediate);
  vi.advanceTimersByTime(10);
  void ask('c');
  await new Promise(setImmediate);
  expect(questions).toHaveLength(1);
  vi.advanceTimersByTime(10);
  await left(2);
  expect(questions[1]?.keys).toEqual(['b', 'c']);
});

it('asks for no more at once than one question bears, and lets full ones go side by side', async () => {
  const { questions, ask, left } = setUp(2);
  const outcomes = Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
  await left(2);
  expect(questions.map(({ keys }) => keys)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  for (const { answer } of questions) answer();
  await left(3);
  questions[2]?.answer();
  expect(await outcomes).toEqual([0, 0, 1, 1, 2]);
});

it('halves what is too much for one answer, and passes other refusals and failures on', async () => {
  const { questions, ask, left } = setUp();
  const outcomes = Promise.all(['a', 'b', 'c'].map(ask));
  await left(1);
  questions[0]?.answer(refuse('internal.too_large', 'Too long.'));
  await left(2);
  questions[1]?.answer();
  await left(3);
  expect(questions.map(({ keys }) => keys)).toEqual([['a', 'b', 'c'], ['a', 'b'], ['c']]);
  questions[2]?.answer(refuse('internal.too_large', 'Too long.'));
  expect(await outcomes).toMatchObject([1, 1, { code: 'internal.too_large' }]);
  const failing = ask('d');
  await left(4);
  questions[3]?.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
});

it('refuses past a bound', async () => {
  const { questions, ask, left } = setUp();
  void ask('first');
  await left(1);
  for (let at = 0; at < 10_000; at++) void ask(`waiting ${at}`);
  expect(await ask('one more')).toMatchObject({ code: 'unavailable' });
  expect(questions).toHaveLength(1);
});
