import { refuse } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import type { RawJson } from '../raw-json.ts';
import { traceIdOf } from '../trace.ts';
import { ackOf, answerOf, answerOfFailure } from './answer.ts';

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

it('[GEN3] logs a bug with its trace id, and hides it from the client', () => {
  const lines: object[] = [];
  const error = new Error('the secret reason');
  const answer = answerOfFailure(error, 't', { error: (fields) => void lines.push(fields) });
  expect(answer).toMatchObject({ status: 500, body: { ok: false, error: 'internal.exception', trace_id: 't' } });
  expect(JSON.stringify(answer)).not.toContain('secret');
  expect(lines).toEqual([{ error, traceId: 't' }]);
});

it('uses the trace id of a valid traceparent, and otherwise creates one', () => {
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

it.each([{}, { diff: { nodes: [{ title: 'é"}' }] }, feeds: {} }])(
  '[WIRE2] gives the ack of a raw body %j its trace id',
  (body) => {
    const json = Buffer.from(`x${JSON.stringify(body)}`).subarray(1);
    const ack = ackOf(answerOf({ ok: true, json }, 't'));
    expect(JSON.parse((ack as RawJson).text)).toEqual({ ok: true, trace_id: 't', ...body });
    expect(ackOf(answerOf({ ok: true, body }, 't'))).toEqual({ ok: true, ...body, trace_id: 't' });
  },
);
