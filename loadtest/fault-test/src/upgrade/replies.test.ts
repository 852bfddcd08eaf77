// Which replies an upgrade may cause.
import { expect, test } from 'vitest';
import type { Caller, Reply } from '../run/callers.ts';
import { judgeReply, newReplyCounts } from './replies.ts';

const callerOf = (name: string) => ({ name }) as Caller;
const refused = (code: string): Reply => ({ kind: 'refused', code, details: {} });

function kindsOf(name: string, replies: readonly Reply[]): number[] {
  const counts = newReplyCounts();
  return replies.map((reply) => judgeReply(counts, reply, callerOf(name)).length);
}

test('refusals of the rules and codes that permit a retry are expected, and counted apart', () => {
  const counts = newReplyCounts();
  const replies: Reply[] = [
    { kind: 'done', body: {} },
    refused('conflict.in_trash'),
    { kind: 'away', code: 'unavailable', details: { outcome: 'not_done' } },
    { kind: 'unknown', why: 'client.timeout' },
  ];
  expect(replies.flatMap((reply) => judgeReply(counts, reply, callerOf('sdk1')))).toEqual([]);
  expect([...counts.attempts]).toEqual([['sdk', 4]]);
  expect([...counts.refused]).toEqual([['conflict.in_trash', 1]]);
  expect([...counts.retried.keys()]).toEqual(['sdk: unavailable, not done', 'sdk: client.timeout']);
});

test('bad requests, wrong tokens and bugs are unexpected, and ended connections are not', () => {
  const bug: Reply = { kind: 'unknown', why: 'internal.exception' };
  expect(kindsOf('rest0', [refused('bad_request.unknown_field'), refused('unauthorized'), bug])).toEqual([1, 1, 1]);
  const closed: Reply = { kind: 'unknown', why: 'TypeError: fetch failed: UND_ERR_SOCKET' };
  const ended: Reply = { kind: 'unknown', why: 'Error: socket has been disconnected' };
  expect([kindsOf('rest0', [closed]), kindsOf('socket0', [ended])]).toEqual([[0], [0]]);
});
