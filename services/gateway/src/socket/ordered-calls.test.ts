import { limitsOf } from '@taskgraph/commands/rate-limits';
import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { answerOf } from '../http/answer.ts';
import type { Limits, LimitVerdict } from '../limits/limits.ts';
import { type CallQueue, inOrder, limitedEvent } from './ordered-calls.ts';

const caller = { ip: '203.0.113.5', user: 'ann' };
const passed: LimitVerdict = { refusal: null, headers: {} };
const limited: LimitVerdict = { refusal: refuse('rate_limited', 'Too many.'), headers: {} };

/** Limits whose verdicts are given by hand. */
function setUp() {
  const asked: { names: readonly string[]; decide: (verdict: LimitVerdict | Error) => void }[] = [];
  const limits: Pick<Limits, 'take'> = {
    take: (names) =>
      new Promise((resolve, reject) => {
        asked.push({
          names,
          decide: (verdict) => (verdict instanceof Error ? reject(verdict) : resolve(verdict)),
        });
      }),
  };
  const queue: CallQueue = { before: null };
  const done: string[] = [];
  const call = (event: string, work: () => Promise<unknown> = async () => event) =>
    inOrder(queue, caller, { limits: limitsOf('socket', event), weight: 1 }, limits, () => {
      done.push(event);
      return work();
    });
  return { asked, done, call };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('[LIM1] all calls are counted at once, and continue in their order', async () => {
  const { asked, done, call } = setUp();
  const answers = [call('node:add'), call('graph:get'), call('link:swap')];
  expect(asked.map(({ names }) => names)).toEqual([['socket'], ['socket', 'graph:get'], ['socket', 'link:swap']]);
  asked[2]?.decide(passed);
  asked[1]?.decide(passed);
  await settled();
  expect(done).toEqual([]);
  asked[0]?.decide(passed);
  expect(await Promise.all(answers)).toEqual(['node:add', 'graph:get', 'link:swap']);
  expect(done).toEqual(['node:add', 'graph:get', 'link:swap']);
});

test('no call waits for the answer to an earlier one', async () => {
  const { asked, done, call } = setUp();
  void call('node:add', () => new Promise(() => undefined));
  const second = call('graph:get');
  for (const { decide } of asked) decide(passed);
  expect(await second).toBe('graph:get');
  expect(done).toEqual(['node:add', 'graph:get']);
});

test('[LIM2] a call beyond a limit is not executed, a failure affects only its call, and later calls continue', async () => {
  const { asked, done, call } = setUp();
  const [past, broken, failing, last] = [
    call('a'),
    call('b'),
    call('c', () => Promise.reject(new Error('c'))),
    call('d'),
  ];
  const verdicts = [limited, new Error('b'), passed, passed];
  const outcomes = Promise.allSettled([past, broken, failing, last]);
  for (const [index, { decide }] of asked.entries()) decide(verdicts[index] as LimitVerdict | Error);
  expect(await outcomes).toMatchObject([
    { value: { code: 'rate_limited' } },
    { reason: new Error('b') },
    { reason: new Error('c') },
    { value: 'd' },
  ]);
  expect(done).toEqual(['c', 'd']);
});

test('[LIM2] beyond a limit all calls except graph:get get an event too', () => {
  const answer = answerOf(refuse('rate_limited', 'Too many.'), 't');
  expect(limitedEvent('graph:get', answer)).toBeNull();
  expect(limitedEvent('trash:page', answer)).toEqual({ ...answer.body, event: 'trash:page' });
  expect(limitedEvent('trash:page', answerOf(refuse('forbidden', 'No.'), 't'))).toBeNull();
  expect(limitedEvent('trash:page', answerOf({ ok: true, body: {} }, 't'))).toBeNull();
});
