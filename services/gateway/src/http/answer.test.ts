import { refuse } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import { traceIdOf } from '../trace.ts';
import { answerOf, answerOfFailure } from './answer.ts';

it('[GEN3] maps refusals of the gateway and of a worker alike', () => {
  const body = { ok: false, error: 'conflict.cycle', message: 'No.', trace_id: 't', details: { path: ['a'] } };
  expect(answerOf(refuse('conflict.cycle', 'No.', { path: ['a'] }), 't')).toEqual({ status: 409, body });
  const reply = { ok: false, error: 'conflict.cycle', message: 'No.', details: { path: ['a'] } } as const;
  expect(answerOf(reply, 't')).toEqual({ status: 409, body });
});

it('[WIRE2] gives a success its trace id', () => {
  expect(answerOf({ ok: true, body: { hasMore: false } }, 't')).toEqual({
    status: 200,
    body: { ok: true, hasMore: false, trace_id: 't' },
  });
});

it('[GEN3] logs a bug with its trace id, and tells the client nothing of it', () => {
  const lines: object[] = [];
  const error = new Error('the secret reason');
  const answer = answerOfFailure(error, 't', { error: (fields) => void lines.push(fields) });
  expect(answer).toMatchObject({ status: 500, body: { ok: false, error: 'internal.exception', trace_id: 't' } });
  expect(JSON.stringify(answer)).not.toContain('secret');
  expect(lines).toEqual([{ error, traceId: 't' }]);
});

it('takes the trace id of a valid traceparent, and makes one otherwise', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  expect(traceIdOf(`00-${traceId}-b7ad6b7169203331-01`)).toBe(traceId);
  for (const header of [
    undefined,
    '',
    'x',
    `ff-${traceId}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ]) {
    expect(traceIdOf(header)).toMatch(/^[0-9a-f]{32}$/);
    expect(traceIdOf(header)).not.toBe(traceId);
  }
});
