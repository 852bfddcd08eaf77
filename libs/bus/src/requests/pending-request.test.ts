// Which of the replies to a request's attempts is forwarded, and when.

import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { ErrorCode } from '@taskgraph/wire/error-codes';
import { expect, test } from 'vitest';
import { createPendingRequest } from './pending-request.ts';

const done: ReplyMessage = { ok: true, body: {} };
const refusal = (error: ErrorCode, details: Record<string, unknown> = {}): ReplyMessage => ({
  ok: false,
  error,
  message: '',
  details,
});
const forbidden = refusal('forbidden');

/** A request with this number of attempts. */
function tried(attempts: number, isCommand = true) {
  const pending = createPendingRequest(isCommand);
  for (let each = 0; each < attempts; each++) pending.publish();
  return pending;
}

test('[GEN8] a refusal waits for the other attempts, because another worker may execute one', () => {
  const pending = tried(3);
  pending.recordReply(forbidden);
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.bounce();
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.recordReply(forbidden);
  expect([pending.reply(), pending.isHeld()]).toEqual([forbidden, false]);
});

test('[GEN8] the answer of an executed attempt overrides all refusals', () => {
  const pending = tried(2);
  pending.recordReply(forbidden);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] if one worker refused and another does not answer, the outcome is unknown', () => {
  const pending = tried(2);
  const unknown = refusal('unavailable', { outcome: 'unknown' });
  pending.recordReply(forbidden);
  pending.recordReply(unknown);
  expect(pending.reply()).toBe(unknown);
});

test('[GEN8] a refusal is final if the other attempt was certainly not executed', () => {
  for (const order of [0, 1]) {
    const pending = tried(2);
    const idle = refusal('unavailable', { outcome: 'not_done' });
    const answers = order === 0 ? [forbidden, idle] : [idle, forbidden];
    for (const answer of answers) pending.recordReply(answer);
    expect(pending.reply()).toBe(forbidden);
  }
});

test('[GEN8] a worker without capacity for a repeated attempt does not end the request: the earlier attempt is awaited', () => {
  const pending = tried(2);
  pending.recordReply(refusal('unavailable', { outcome: 'not_done' }));
  expect([pending.reply(), pending.isHeld()]).toEqual([null, false]);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] an attempt with an unknown outcome waits for the others, because one of them may be executed', () => {
  const pending = tried(2);
  const unknown = refusal('unavailable', { outcome: 'unknown' });
  pending.recordReply(unknown);
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] without another pending attempt, a lack of capacity is the answer', () => {
  const pending = tried(2);
  pending.bounce();
  const idle = refusal('unavailable', { outcome: 'not_done' });
  pending.recordReply(idle);
  expect(pending.reply()).toBe(idle);
});

test('[GEN8] a worker that lost the command does not count as an answer, and another attempt follows', () => {
  const pending = tried(1);
  pending.recordReply(refusal('unavailable', { outcome: 'moved' }));
  expect([pending.reply(), pending.isHeld(), pending.undelivered(), pending.mayBeDone()]).toEqual([
    null,
    false,
    1,
    true,
  ]);
  pending.publish();
  pending.recordReply(forbidden);
  expect(pending.reply()).toBe(forbidden);
});

test('a single refused attempt ends the request, and so does a refused read', () => {
  for (const pending of [tried(1), tried(2, false)]) {
    pending.recordReply(forbidden);
    expect(pending.reply()).toBe(forbidden);
  }
});

test('a request without a receiver is not executed', () => {
  const pending = tried(2);
  pending.bounce();
  expect(pending.mayBeDone()).toBe(true);
  pending.bounce();
  expect([pending.mayBeDone(), pending.reply()]).toEqual([false, null]);
});
