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

test('[GEN8] a refusal waits for the other tries: another worker may have one, and do it', () => {
  const pending = tried(3);
  pending.recordReply(forbidden);
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.bounce();
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.recordReply(forbidden);
  expect([pending.reply(), pending.isHeld()]).toEqual([forbidden, false]);
});

test('[GEN8] what was done is told, whatever else was said', () => {
  const pending = tried(2);
  pending.recordReply(forbidden);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] where one worker refused and another can say nothing, nothing is certain', () => {
  const pending = tried(2);
  const unknown = refusal('unavailable', { outcome: 'unknown' });
  pending.recordReply(forbidden);
  pending.recordReply(unknown);
  expect(pending.reply()).toBe(unknown);
});

test('[GEN8] a refusal stands where another try was certainly not done', () => {
  for (const order of [0, 1]) {
    const pending = tried(2);
    const idle = refusal('unavailable', { outcome: 'not_done' });
    const answers = order === 0 ? [forbidden, idle] : [idle, forbidden];
    for (const answer of answers) pending.recordReply(answer);
    expect(pending.reply()).toBe(forbidden);
  }
});

test('[GEN8] a repeat that a worker has no room for ends nothing: the try before it is waited for', () => {
  const pending = tried(2);
  pending.recordReply(refusal('unavailable', { outcome: 'not_done' }));
  expect([pending.reply(), pending.isHeld()]).toEqual([null, false]);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] one try of unknown outcome waits for the others, as one of them may be done', () => {
  const pending = tried(2);
  const unknown = refusal('unavailable', { outcome: 'unknown' });
  pending.recordReply(unknown);
  expect([pending.reply(), pending.isHeld()]).toEqual([null, true]);
  pending.recordReply(done);
  expect(pending.reply()).toBe(done);
});

test('[GEN8] where no other try is under way, that there is no room is the answer', () => {
  const pending = tried(2);
  pending.bounce();
  const idle = refusal('unavailable', { outcome: 'not_done' });
  pending.recordReply(idle);
  expect(pending.reply()).toBe(idle);
});

test('[GEN8] a worker that lost the command is no answer, and worth another try', () => {
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

test('one try that is refused is over, as is a read', () => {
  for (const pending of [tried(1), tried(2, false)]) {
    pending.recordReply(forbidden);
    expect(pending.reply()).toBe(forbidden);
  }
});

test('a request that reached nobody is not done', () => {
  const pending = tried(2);
  pending.bounce();
  expect(pending.mayBeDone()).toBe(true);
  pending.bounce();
  expect([pending.mayBeDone(), pending.reply()]).toEqual([false, null]);
});
