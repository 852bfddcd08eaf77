// Claims that wait for their queue while their token ends. Rule: AUTH2.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { definitionOf } from '@taskgraph/commands/commands';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal } from '@taskgraph/wire/errors';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Job, jobOf } from '../commit/job.ts';
import { createReadGates } from '../reads/read-gates.ts';
import { makeUser, newId, openTestDatabase } from '../test/support/harness.ts';
import { pagesOf } from '../test/support/whole-reads.ts';
import { createQueueClaims } from './queue-claims.ts';

let database: Database;
let ann: ActingUser;
let token: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  [ann, token] = [await makeUser(database, 'ann'), newId(0)];
  const create = `MATCH (u:User {id: $user}) CREATE (u)-[:HAS_TOKEN]->(:Token {id: $id, hash: $id, kind: 'api'})`;
  await database.write(create, { user: ann.id, id: token });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => database.close());

/** Runs a claim, which waits for its queue until `happens` has ended, for so long by the monotonic clock. */
async function claimAfter(waitMs: number, happens: () => Promise<unknown>, callerToken: string | null = token) {
  let lookUps = 0;
  const counted: Database = {
    ...database,
    read(cypher, parameters) {
      if (cypher.includes(':Token')) lookUps++;
      return database.read(cypher, parameters);
    },
  };
  const nowMs = Date.now;
  const gates = createReadGates({ atOnce: 1, waiting: 10, nowMs, otherWork: () => 0, onRefused: () => undefined });
  let leave: (nothing: object) => void = () => undefined;
  const turn = new Promise<object>((resolve) => {
    leave = resolve;
  });
  const other = await makeUser(database, 'other');
  void gates.passQueue(
    other,
    () => turn,
    () => 0,
  );
  const log = createLog({ name: 'test', level: 'silent' });
  const claims = createQueueClaims({ database: counted, secret: 'a secret', nowMs, pages: pagesOf(), gates, log });
  const decided: Job[] = [];
  const reply = new Promise<Reply>((answer) => {
    const message = { id: newId(0), event: 'node:claim', payload: {}, actor: ann, key: null, traceId: 't' };
    const sent = { ...message, deadline: nowMs() + 60_000, ...(callerToken === null ? {} : { callerToken }) };
    const job = jobOf(sent, definitionOf('node:claim'), answer);
    if (isRefusal(job)) throw new Error(job.message);
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    void claims.run(job, (one) => {
      decided.push(one);
      one.answer({ ok: true, body: { node: null, diff: { batchId: null } } });
    });
  });
  await happens();
  vi.spyOn(performance, 'now').mockReturnValue(1_000 + waitMs);
  leave({});
  return { reply: await reply, decided: decided.length, lookUps };
}

const set = (fields: string) => () =>
  database.write(`MATCH (u:User {id: $user})-[:HAS_TOKEN]->(t:Token {id: $id}) SET ${fields}`, {
    user: ann.id,
    id: token,
  });

test.each([
  ['is revoked', set("t.revoked = '2026-01-01T00:00:00.000Z' REMOVE t.hash")],
  ['expires', set("t.expires = '2026-01-01T00:00:00.000Z'")],
  ['is of a user who is disabled', set('u.disabled = true')],
])('[AUTH2] a claim whose token %s while it waits is not decided', async (_what, happens) => {
  expect(await claimAfter(10, happens)).toEqual({
    reply: { ok: false, error: 'unauthorized', message: expect.any(String) },
    decided: 0,
    lookUps: 1,
  });
});

test('[AUTH2] a claim with a valid token looks it up once a second, and only after a wait', async () => {
  const nothing = async () => undefined;
  expect(await claimAfter(10, nothing)).toMatchObject({ reply: { ok: true }, decided: 1, lookUps: 1 });
  expect(await claimAfter(9, nothing)).toMatchObject({ reply: { ok: true }, decided: 1, lookUps: 0 });
});

test('[AUTH2] a claim of a gateway of the previous release names no token, and is decided', async () => {
  const { decided, lookUps } = await claimAfter(10, async () => undefined, null);
  expect([decided, lookUps]).toEqual([1, 0]);
});
