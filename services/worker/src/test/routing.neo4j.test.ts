// Workers with a `neo4j://` URL, whose routing table names this server as the only member. With
// either scheme the outcome of a lost commit is looked up.
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { failureOf } from '@taskgraph/graph-store/driver/failures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Line, openLine } from './support/breakable-connection.ts';
import { makeUser, openTestDatabase, startTestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

let direct: Database;
let line: Line;
beforeAll(async () => {
  direct = await openTestDatabase();
  line = await openLine(Number(new URL(process.env.NEO4J_URL ?? '').port));
});
afterAll(async () => {
  expect(await findInconsistencies(direct)).toEqual([]);
  await direct.close();
  await line.close();
});

function open(scheme: string, port: number): Database {
  const { NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  return openDatabase({ url: `${scheme}://127.0.0.1:${port}`, user, password });
}

/** Bolt's COMMIT: two bytes, a structure without fields and its signature. */
const isCommit = (sent: Buffer) => sent.includes(Buffer.from([0x00, 0x02, 0xb0, 0x12, 0x00, 0x00]));
/** The single statement that locks, compares, writes and commits. */
const isWriteIfUnchanged = (sent: Buffer) => sent.includes('$in.leftMs');

describe.each(['bolt', 'neo4j'])('by %s://', (scheme) => {
  let database: Database;
  beforeAll(() => {
    database = open(scheme, line.port);
  });
  afterAll(() => database.close());

  test('[GEN12] the next page contains the result of an answered command', async () => {
    const [worker, ann] = [startTestWorker(database), await makeUser(direct)];
    for (const title of ['one', 'two', 'three']) {
      await worker.run(ann, 'node:add', { title });
      const { nodes } = await worker.read(ann, 'graph:get', {});
      expect((nodes as { title: string }[]).at(-1)?.title).toBe(title);
    }
  });

  test.each([
    ['a transaction', 'before', isCommit],
    ['a transaction', 'after', isCommit],
    ['one statement', 'before', isWriteIfUnchanged],
    ['one statement', 'after', isWriteIfUnchanged],
  ] as const)(
    '[GEN8] a commit by %s whose connection ends %s the database committed is executed once',
    async (_by, end, isMessage) => {
      const [worker, ann] = [startTestWorker(database), await makeUser(direct)];
      // The next command's owner is cached, so one statement commits it.
      if (isMessage === isWriteIfUnchanged) await worker.run(ann, 'node:add', { title: 'before' });
      const ended = line.endAt(isMessage, end);
      const reply = await worker.send(ann, 'node:add', { title: 'once' }, { key: 'key' });
      await ended;
      expect(reply).toMatchObject({ ok: true });
      const rows = await direct.read("MATCH (n:Node {ownerId: $id, title: 'once'}) RETURN n.id AS id", { id: ann.id });
      expect(rows).toHaveLength(1);
      expect(await worker.send(ann, 'node:add', { title: 'once' }, { key: 'key' })).toEqual(reply);
    },
  );

  test.each(['before', 'after'] as const)(
    'a commit whose connection ends %s the database committed counts as unavailable',
    async (end) => {
      const transaction = database.begin();
      await transaction.run('RETURN 1', {});
      const ended = line.endAt(isCommit, end);
      const error = await transaction.commit().catch((failure: unknown) => failure);
      await ended;
      expect(failureOf(error)).toBe('away');
    },
  );

  test('a pool without a free connection is crowded, not unavailable', async () => {
    const small = openDatabase({
      url: `${scheme}://127.0.0.1:${line.port}`,
      user: process.env.NEO4J_USER ?? '',
      password: process.env.NEO4J_PASSWORD ?? '',
      poolSize: 1,
      connectionWaitMs: 1_000,
    });
    const long = small.begin();
    await long.run('RETURN 1', {});
    const error = await small.read('RETURN 1', {}).catch((failure: unknown) => failure);
    await long.rollback();
    await small.close();
    expect(failureOf(error)).toBe('crowded');
  });
});

test('a missing server is unavailable, also for routing requests', async () => {
  const gone = await openLine(1);
  await gone.close();
  for (const scheme of ['bolt', 'neo4j']) {
    const database = open(scheme, gone.port);
    const error = await database.verify().catch((failure: unknown) => failure);
    await database.close();
    expect([scheme, failureOf(error)]).toEqual([scheme, 'away']);
  }
});
