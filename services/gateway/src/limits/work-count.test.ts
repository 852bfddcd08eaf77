// The work of a call counts after the call, and appears in the headers of its answer.

import { parseRawReply } from '@taskgraph/bus/requests/raw-reply';
import { encodeReply } from '@taskgraph/bus/requests/reply-encoding';
import { WORK_OF_A_CALL } from '@taskgraph/commands/rate-limits';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { expect, test } from 'vitest';
import { answerOf } from '../http/answer.ts';
import { type CallQueue, inOrder } from '../socket/ordered-calls.ts';
import { answerWithin } from './call-limits.ts';
import type { Caller, LimitVerdict } from './limits.ts';

const ann: Caller = { ip: '203.0.113.1', user: 'ann' };
const log = { error: () => undefined };

/** Limits with one bound for everything, which record their counts. */
function limitsOf(points: number) {
  const counted: [name: string, weight: number][] = [];
  const take = async (names: readonly string[], { weight = 1 }: Caller): Promise<LimitVerdict> => {
    for (const name of names) counted.push([name, weight]);
    const used = counted.reduce((sum, [, each]) => sum + each, 0);
    const left = { 'RateLimit-Remaining': String(Math.max(0, points - used)) };
    return { refusal: null, headers: used > points ? { ...left, 'Retry-After': '9' } : left };
  };
  return { counted, limits: { take } };
}

const done = (work?: number): ReplyMessage => ({ ok: true, body: {}, ...definedFields({ work }) });

test.each([
  [undefined, 1, []],
  [WORK_OF_A_CALL, 1, []],
  [WORK_OF_A_CALL + 1, 1, [['rest', 1]]],
  [195_500, 20, [['rest', 762]]],
])('[LIM6] over REST %s changes of a call that counted as %i', async (work, weight, further) => {
  const { counted, limits } = limitsOf(2_000);
  const asked = { names: ['rest', 'rest:call'] as const, traceId: 't', ...ann, weight };
  const answer = await answerWithin({ limits, log }, asked, () => answerOf(done(work), 't'));
  expect(counted).toEqual([['rest', weight], ['rest:call', weight], ...further]);
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  expect(JSON.stringify(answer.body)).not.toContain('work');
  const left = 2_000 - counted.reduce((sum, [, each]) => sum + each, 0);
  expect(answer.headers).toEqual({ 'RateLimit-Remaining': String(left) });
});

test('[LIM6] an executed call is answered even if it uses up the limit; a refusal is counted as well', async () => {
  const { counted, limits } = limitsOf(100);
  const refused = { ok: false, error: 'bad_request.too_large', message: '', work: 200_000 } as const;
  const asked = { names: ['rest'] as const, traceId: 't', ...ann };
  const answer = await answerWithin({ limits, log }, asked, () => answerOf(refused, 't'));
  expect(answer).toMatchObject({ status: 413, headers: { 'RateLimit-Remaining': '0' } });
  expect(answer.headers).not.toHaveProperty('Retry-After');
  expect(counted).toEqual([
    ['rest', 1],
    ['rest', 799],
  ]);
});

test('[LIM6] over a socket it is counted before the answer', async () => {
  const { counted, limits } = limitsOf(3_600);
  const queue: CallQueue = { before: null };
  const reply = done(5_000);
  expect(await inOrder(queue, ann, { limits: ['socket', 'batch:run'], weight: 4 }, limits, async () => reply)).toBe(
    reply,
  );
  expect(counted).toEqual([
    ['socket', 4],
    ['batch:run', 4],
    ['socket', 16],
  ]);
});

test('[LIM6] a worker’s count arrives with a body that gateways do not parse', () => {
  const reply: ReplyMessage = { ok: true, work: 700, body: { diff: { nodes: [] }, feeds: {} } };
  const { encoded } = encodeReply(log as never, reply);
  expect(parseRawReply(encoded)).toMatchObject({ ok: true, keepsAccess: true, work: 700 });
  expect(answerOf(parseRawReply(encoded) ?? expect.fail('it is not raw'), 't')).toMatchObject({ work: 700 });
});
