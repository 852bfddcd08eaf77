// What clients met during faults, from hand-made records.
import { expect, test } from 'vitest';
import { command } from '../test/support/hand-made.ts';
import { judgeDeaths, judgeHealing, judgeWaits, slotOfCommand } from './judge-faults.ts';
import type { Fault } from './schedule.ts';

const injected = (fault: Fault, healedMs = 0) => ({ fault, fromMs: 1_000, untilMs: 9_000, healedMs });
const AWAY: Fault = { kind: 'pause', target: 'neo4j', forMs: 8_000 };

test('a call without an answer is an anomaly while a backend is away, also an attempt to claim', () => {
  const why = 'TimeoutError: The operation was aborted due to timeout';
  const claim = (calledMs: number, text = why) =>
    command('claim', calledMs, { event: 'node:claim', outcome: { kind: 'unknown', why: text } });
  const kinds = (fault: Fault, ...commands: Parameters<typeof judgeWaits>[1]) =>
    judgeWaits([injected(fault)], commands).map(({ kind }) => kind);
  expect(kinds(AWAY, claim(2_000))).toEqual(['a command was never answered']);
  expect(kinds(AWAY, claim(10_000), claim(2_000, 'socket hang up'), command('done', 2_000))).toEqual([]);
  expect(kinds({ kind: 'pause', target: 'gateway-1', forMs: 8_000 }, claim(2_000))).toEqual([]);
});

test('a recovery may take longer only after a cold start of the database', () => {
  const kinds = (fault: Fault, healedMs: number) => judgeHealing([injected(fault, healedMs)]).map(({ kind }) => kind);
  expect(kinds(AWAY, 9_999)).toEqual([]);
  expect(kinds(AWAY, 10_001)).toEqual(['recovery took too long']);
  expect(kinds({ kind: 'kill', target: 'neo4j', forMs: 0 }, 10_001)).toEqual([]);
});

test('a service that ends by itself is an anomaly, except for a long stop without a working backend', () => {
  const death = (log: string, atMs: number) => ({ name: 'worker-1', reason: 'exit code 1', log, atMs });
  const kinds = (fault: Fault, log: string, atMs: number) =>
    judgeDeaths([death(log, atMs)], [injected(fault)]).map(({ kind }) => kind);
  const long = '{"msg":"worker did not stop in time"}';
  expect(kinds(AWAY, long, 28_000)).toEqual([]);
  expect(kinds(AWAY, long, 30_000)).toEqual(['a service crashed']);
  expect(kinds({ kind: 'kill', target: 'everything', forMs: 0 }, long, 70_000)).toEqual([]);
  expect(kinds({ kind: 'restart', target: 'worker-1', forMs: 0 }, long, 2_000)).toEqual(['a service crashed']);
  expect(kinds(AWAY, '{"msg":"uncaught exception"}', 2_000)).toEqual(['a service crashed']);
});

test("an owner's partition has recovered once it answers a command on the owner's nodes, whoever sends it", () => {
  const id = '01a21f70-8582-7007-8000-ae183cdba915';
  const of = (payload: object, more = {}) => slotOfCommand(command('c', 0, { payload: { ...payload }, ...more }));
  expect([of({ id }), of({ target: id, title: 'x' }), of({ batchId: id })]).toEqual([7, 7, 7]);
  // A claim of a queue without a free node has reached no partition of the user.
  expect(of({ root: id, lease: 1 })).toBeNull();
  expect(of({ id }, { outcome: { kind: 'unknown' } })).toBeNull();
});
