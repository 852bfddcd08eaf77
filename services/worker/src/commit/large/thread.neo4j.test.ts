// The thread for large commands itself: it commits what is still its worker's, and hands refusals
// over to be judged.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase } from '../../test/support/harness.ts';
import { commandOf } from '../command-handler.ts';
import { type Job, jobOf } from '../job.ts';
import { type LargeThread, openLargeThread } from './thread-client.ts';

const nothing = () => undefined;
let database: Database;
let thread: LargeThread;
let user: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  user = await makeUser(database, 'ada');
  const { NEO4J_URL: url = '', NEO4J_USER: name = '', NEO4J_PASSWORD: password = '' } = process.env;
  thread = openLargeThread({
    settings: {
      neo4j: { url, user: name, password },
      entities: 1_000,
      historyForm: 'merged',
      name: 'test',
      logLevel: 'silent',
    },
    // A thread runs what is built, and no sources, which the flags of tests point to.
    flags: [],
    script: new URL('../../../dist/commit/large/thread.js', import.meta.url),
    memoryMb: 256,
    log: createLog({ name: 'test', level: 'silent' }),
    publish: nothing,
    onUnpublished: nothing,
    onFailure: nothing,
    onLate: nothing,
    onAhead: nothing,
    aheadMs: () => 0,
  });
});
afterAll(async () => {
  await thread.stop();
  await database.close();
});

/**
 * Has a command done by the thread; gives its answer, or the text of it where the thread has
 * encoded it.
 */
async function send(event: string, payload: object, isLeaseHeld: () => boolean): Promise<unknown> {
  const replies: Reply[] = [];
  const head = { id: newId(0), event, actor: user, key: null, deadline: Date.now() + 60_000, traceId: 't' };
  const message = { ...head, payload: { ...payload } };
  const job = jobOf(message, commandOf(message, 'users'), (reply) => void replies.push(reply), { isLeaseHeld });
  await thread.commit(job as Job);
  const [reply] = replies;
  return reply && 'encoded' in reply ? Buffer.from(reply.encoded).toString() : reply;
}

const titles = async () => {
  const rows = await database.read('MATCH (n:Node {ownerId: $id}) RETURN n.title AS title', user);
  return rows.map(({ title }) => title);
};

test('[GEN8] a large command that another worker may have at its commit is not executed, and one with a valid lease is', async () => {
  let isLeaseHeld = true;
  const lost = send('node:add', { title: 'lost' }, () => isLeaseHeld);
  isLeaseHeld = false;
  expect(await lost).toMatch(/^\{"ok":false,"error":"unavailable"/);
  expect(await titles()).toEqual([]);
  expect(await send('node:add', { title: 'kept' }, () => true)).toMatch(/^\{"ok":true/);
  expect(await titles()).toEqual(['kept']);
});

test('[GEN8] its refusals are returned completely', async () => {
  expect(await send('node:trash', { id: newId(0) }, () => true)).toMatchObject({ ok: false, error: 'not_found' });
});
