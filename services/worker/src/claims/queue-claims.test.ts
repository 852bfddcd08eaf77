// Claims that wait for their queue: the ends of the wait, and the number of claims of a user. No read
// gets its turn here, so that no database is needed.

import { setMaxListeners } from 'node:events';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { definitionOf } from '@taskgraph/commands/commands';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { isRefusal } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { type Job, jobOf, MOVED } from '../commit/job.ts';
import { createPageBudget } from '../reads/page-budget.ts';
import { createReadGates } from '../reads/read-gates.ts';
import { createQueueClaims } from './queue-claims.ts';

const newId = createIdFactory();
const ann = { id: newId(0), username: 'ann', email: 'ann@example.org' };
const bob = { id: newId(0), username: 'bob', email: 'bob@example.org' };

function createClaims() {
  const nowMs = Date.now;
  const gates = createReadGates({ atOnce: 1, waiting: 1_000, nowMs, otherWork: () => 0, onRefused: () => undefined });
  // The only turn is never over.
  void gates.passQueue(
    bob,
    () => new Promise<object>(() => undefined),
    () => 0,
  );
  const pages = createPageBudget({ pageBytes: 1_000_000, budgetBytes: 1_000_000, waitMs: 1 });
  const log = createLog({ name: 'test', level: 'silent' });
  const claims = createQueueClaims({
    database: {} as Database,
    secret: 'a secret of this test',
    nowMs,
    pages,
    gates,
    log,
  });
  /** The candidates that decisions got. */
  const decided: Job[] = [];
  const run = (actor = ann, waitMs = 60_000, stopping?: AbortSignal) =>
    new Promise<Reply>((answer) => {
      const deadline = nowMs() + waitMs;
      const message = { id: newId(0), event: 'node:claim', payload: {}, actor, key: null, deadline, traceId: 't' };
      const job = jobOf(message, definitionOf('node:claim'), answer, { stopping });
      if (isRefusal(job)) throw new Error(job.message);
      expect(claims.concern(job)).toBe(true);
      void claims.run(job, (one) => {
        decided.push(one);
        one.answer({ ok: true, body: {} });
      });
    });
  return { run, decided };
}

test('[CLAIM1] a claim that waits for its queue does not delay the hand-over of its partition', async () => {
  const { run, decided } = createClaims();
  const stopping = new AbortController();
  const reply = run(ann, 60_000, stopping.signal);
  stopping.abort();
  expect([await reply, await run(ann, 60_000, stopping.signal)]).toEqual([MOVED, MOVED]);
  expect(decided).toEqual([]);
});

test('[CLAIM1] a claim does not wait for its queue beyond its deadline', async () => {
  const { run, decided } = createClaims();
  expect(await run(ann, 1)).toMatchObject({ error: 'unavailable', details: { outcome: 'not_done' } });
  expect(decided).toEqual([]);
});

test('[CLAIM1] a deadline too far ahead for a timer, as by a wrong clock, does not end a wait', async () => {
  const { run } = createClaims();
  const stopping = new AbortController();
  const reply = run(ann, 2 ** 31 + 60_000, stopping.signal);
  // The timer of this one fires after that of the first.
  expect(await run(bob, 1)).toMatchObject({ error: 'unavailable' });
  stopping.abort();
  expect(await reply).toEqual(MOVED);
});

test('[CLAIM1 CLAIM4] one user has at most 200 claims in progress; a further one is refused by its decision', async () => {
  const { run, decided } = createClaims();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const waiting = Array.from({ length: 200 }, () => run(ann, 60_000, stopping.signal));
  const other = run(bob, 60_000, stopping.signal);
  expect(await run(ann)).toMatchObject({ ok: true });
  expect(decided.map(({ candidates }) => candidates)).toMatchObject([
    { code: 'unavailable', details: { outcome: 'not_done' } },
  ]);
  stopping.abort();
  expect(await Promise.all([...waiting, other])).toEqual(Array.from({ length: 201 }, () => MOVED));
});
