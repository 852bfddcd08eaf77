// The fate of a read that the database did not do.
import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import type { ReadEnvironment } from './read-handler.ts';
import { replyTo } from './read-handler.ts';

const TIMED_OUT = { code: 'Neo.ClientError.Transaction.TransactionTimedOut' };

/** A read that fails with each of these and then succeeds. */
function setUp(failures: unknown[], deadline = Number.MAX_SAFE_INTEGER) {
  const told: unknown[] = [];
  let asked = 0;
  const message = { event: 'graph:get', payload: {}, actor: null, deadline, traceId: 't' };
  const environment = { onBusy: (error: unknown) => void told.push(error) } as unknown as ReadEnvironment;
  const work = async () => {
    const failure = failures[asked++];
    if (failure !== undefined) throw failure;
    return { nodes: [] };
  };
  return { told, asked: () => asked, reply: () => replyTo(work, { message, environment, attempts: 3 }) };
}

test('[GEN3] is retried, and answered normally', async () => {
  const { told, reply } = setUp([TIMED_OUT, TIMED_OUT]);
  expect(await reply()).toEqual({ ok: true, body: { nodes: [] } });
  expect(told).toEqual([]);
});

test('[GEN3] is unavailable after three attempts or past its deadline, and the observer is notified', async () => {
  const [often, late] = [setUp([TIMED_OUT, TIMED_OUT, TIMED_OUT]), setUp([TIMED_OUT], 1)];
  for (const [each, attempts] of [
    [often, 3],
    [late, 1],
  ] as const) {
    expect(await each.reply()).toMatchObject({ ok: false, error: 'unavailable' });
    expect([each.asked(), each.told]).toEqual([attempts, [TIMED_OUT]]);
  }
});

test('[GEN3] a bug is thrown at once, and a refusal is an answer', async () => {
  const bug = setUp([new TypeError('a bug')]);
  await expect(bug.reply()).rejects.toThrow('a bug');
  expect(bug.asked()).toBe(1);
  const message = { event: 'graph:get', payload: {}, actor: null, deadline: 1, traceId: 't' };
  const reply = await replyTo(async () => refuse('forbidden', 'No.'), {
    message,
    attempts: 3,
    environment: {} as ReadEnvironment,
  });
  expect(reply).toMatchObject({ ok: false, error: 'forbidden' });
});
