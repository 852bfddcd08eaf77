// Group commit on a real Neo4j: locks, keys, order, size and stored rows.

import { setTimeout as sleep } from 'node:timers/promises';
import { historyOperations } from '@taskgraph/domain/views/history';
import type { Database, OpenTransaction } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { slotOf } from '@taskgraph/wire/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';
import { findInconsistencies } from '../test/support/integrity-checker.ts';
import { chain, sow } from '../test/support/large-graphs.ts';
import { PARTS_AT_ONCE } from './committer.ts';

let database: Database;
let worker: TestWorker;
let user: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
  user = await makeUser(database, 'ada');
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

async function addNode(payload: object = {}, actor = user): Promise<string> {
  const diff = await worker.run(actor, 'node:add', payload);
  return diff.nodes[0]?.after.id as string;
}

async function addLink(source: string, target: string, payload: object = {}): Promise<string> {
  const diff = await worker.run(user, 'link:add', { source, target, ...payload });
  return diff.links[0]?.after.id as string;
}

describe('an owner locked by another transaction', () => {
  /** Longer than the database waits for a lock at once. */
  const LOCKED_MS = 1_200;
  /** The lock is released after this time at the latest, so that waiting commands are answered. */
  const HELD_MS = 100_000;

  /**
   * Sends commands of locked users, and then commands of other users, which must be answered first
   * even on a slow machine.
   */
  async function whileLocked(
    held: ActingUser[],
    send: (patient: TestWorker) => Promise<Promise<ReplyMessage>[]>,
    others: (patient: TestWorker) => Promise<unknown>,
  ): Promise<void> {
    const patient = startTestWorker(database, { lockTimeoutMs: 2 * HELD_MS });
    const holder = database.begin(HELD_MS);
    await holder.run('UNWIND $ids AS id MATCH (u:User {id: id}) SET u.lock = true', { ids: held.map(({ id }) => id) });
    const startedAt = performance.now();
    const waiting = await send(patient);
    let answered = 0;
    for (const reply of waiting) void reply.then(() => answered++);
    await others(patient);
    expect(answered).toBe(0);
    await sleep(startedAt + LOCKED_MS - performance.now());
    expect(answered).toBe(0);
    await holder.rollback();
    for (const reply of waiting) expect(await reply).toMatchObject({ ok: true });
  }

  test('[GEN8] delays the command that needs them, and no other of its group', async () => {
    const busy = await makeUser(database, 'busy');
    const others = await Promise.all(Array.from({ length: 8 }, () => makeUser(database)));
    await whileLocked(
      [busy],
      async (patient) => [patient.send(busy, 'node:add', {})],
      (patient) => Promise.all(others.map((other) => patient.run(other, 'node:add', {}))),
    );
  });

  test.each([
    ['as many commands as concurrent groups, one in each', 2, 100],
    ['more commands than concurrent parts', PARTS_AT_ONCE + 4, 0],
  ])('[GEN8] delays %s, and no others', async (_, count, laterMs) => {
    const held = await Promise.all(Array.from({ length: count }, () => makeUser(database, 'held')));
    const other = await makeUser(database);
    await whileLocked(
      held,
      async (patient) => {
        const waiting: Promise<ReplyMessage>[] = [];
        // One after another, so that each of the first forms a group of its own. The last one may
        // share its group with the other user's command.
        for (const user of held) {
          await sleep(150 / count);
          waiting.push(patient.send(user, 'node:add', {}));
        }
        await sleep(laterMs);
        return waiting;
      },
      (patient) => patient.run(other, 'node:add', {}),
    );
  });

  test('[GEN8] exceeds the lock timeout, and the command answers not_done', async () => {
    const held = await makeUser(database, 'held');
    const hasty = startTestWorker(database, { lockTimeoutMs: 0 });
    const holder = database.begin(HELD_MS);
    await holder.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: held.id });
    expect(await hasty.send(held, 'node:add', {})).toMatchObject({
      ok: false,
      error: 'unavailable',
      details: { outcome: 'not_done' },
    });
    await holder.rollback();
  });
});

test('[GEN8] a command whose partition is lost meanwhile is not executed, at any of the lease checks', async () => {
  const nodes = () => database.read('MATCH (n:Node {ownerId: $id}) RETURN count(n) AS count', user);
  let looks = 0;
  await worker.send(user, 'node:add', {}, { isLeaseHeld: () => ++looks > 0 });
  const [all, before] = [looks, await nodes()];
  // In the mailbox, before the attempt, and right before the commit.
  expect(all).toBeGreaterThanOrEqual(3);
  for (let last = 1; last <= all; last++) {
    looks = 0;
    const lost = await worker.send(user, 'node:add', {}, { isLeaseHeld: () => ++looks < last });
    expect(lost).toMatchObject({ ok: false, error: 'unavailable' });
  }
  expect(await nodes()).toEqual(before);
});

test('[GEN8] a command whose partition is lost at the last lease check is not executed', async () => {
  const nodes = () => database.read('MATCH (n:Node {ownerId: $id}) RETURN count(n) AS count', user);
  let isLeaseHeld = true;
  // Its cache is empty, so it takes the path that loads.
  const asking = startTestWorker(database, {
    confirm: async () => {
      isLeaseHeld = false;
    },
  });
  const before = await nodes();
  const lost = await asking.send(user, 'node:add', {}, { isLeaseHeld: () => isLeaseHeld });
  expect([lost, isLeaseHeld]).toEqual([expect.objectContaining({ error: 'unavailable' }), false]);
  expect(await nodes()).toEqual(before);
});

describe('lost updates', () => {
  /**
   * Two workers write one node at once; the guards must accept exactly one command per version.
   */
  async function lostUpdates(on: Database): Promise<number> {
    const workers = [startTestWorker(on), startTestWorker(on)];
    const id = await addNode({ title: '0' });
    let acknowledged = 0;
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let turn = 0; turn < 10; turn++) {
          const reply = await workers[writer % 2]?.send(user, 'node:update', { id, title: `${writer}/${turn}` });
          if (reply?.ok) acknowledged++;
        }
      }),
    );
    const [row] = await on.read('MATCH (n:Node {id: $id}) RETURN n.version AS version', { id });
    return acknowledged + 1 - (row?.version as number);
  }

  /** The same database without locks, to show the race that the owner lock prevents. */
  function withoutLock(inner: Database): Database {
    const begin = (timeoutMs?: number): OpenTransaction => {
      const transaction = inner.begin(timeoutMs);
      return {
        ...transaction,
        run: (cypher, parameters) => transaction.run(cypher.replace('SET u.lock = true', ''), parameters),
      };
    };
    return { ...inner, begin };
  }

  test('[GEN10] none occurs with the owner lock, and some occur without it', async () => {
    expect(await lostUpdates(database)).toBe(0);
    const notLocked = await lostUpdates(withoutLock(database));
    expect(notLocked).toBeGreaterThan(0);
    // The updates lost the feed's numbers, which must not affect the next test.
    await database.write('MATCH (e:Entry|Batch {feed: $feed}) REMOVE e.feed', { feed: `user:${user.id}` });
    user = await makeUser(database, 'ada');
  });
});

describe('keys', () => {
  test('[GEN8] the same key and body get the same answer, and are executed once, by any worker', async () => {
    const other = startTestWorker(database);
    const payload = { title: 'once' };
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? worker : other).send(user, 'node:add', payload, { key: 'one' }),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]?.ok).toBe(true);
    const rows = await database.read('MATCH (n:Node {ownerId: $id, title: "once"}) RETURN n.id AS id', { id: user.id });
    expect(rows).toHaveLength(1);
  });

  test('[GEN8] the same key with two concurrent bodies: one is executed, the other is refused', async () => {
    const other = startTestWorker(database);
    const replies = await Promise.all([
      worker.send(user, 'node:add', { title: 'left' }, { key: 'two' }),
      other.send(user, 'node:add', { title: 'right' }, { key: 'two' }),
    ]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    expect(replies.filter((reply) => !reply.ok && reply.error === 'conflict.idempotency_key')).toHaveLength(1);
  });

  test('[GEN8] keys belong to their user', async () => {
    const bob = await makeUser(database, 'bob');
    const mine = await worker.run(user, 'node:add', { title: 'mine' }, { key: 'three' });
    const theirs = await worker.run(bob, 'node:add', { title: 'theirs' }, { key: 'three' });
    expect(mine.batchId).not.toBe(theirs.batchId);
  });

  test('[GEN8] a refused command is decided again under its key', async () => {
    const parent = await addNode();
    const child = await addNode({ target: parent });
    const attempt = () => worker.send(user, 'node:update', { id: parent, status: 3 }, { key: 'four' });
    expect(await attempt()).toMatchObject({ ok: false, error: 'conflict.node_blocked' });
    await worker.run(user, 'node:update', { id: child, status: 3 });
    expect(await attempt()).toMatchObject({ ok: true });
  });

  test('a retry with the same command id is executed once', async () => {
    const id = newId(slotOf(user.id));
    const other = startTestWorker(database);
    const replies = await Promise.all([
      worker.send(user, 'node:add', { title: 'retried' }, { id }),
      other.send(user, 'node:add', { title: 'retried' }, { id }),
    ]);
    expect(replies[0]).toEqual(replies[1]);
    const rows = await database.read('MATCH (n:Node {ownerId: $id, title: "retried"}) RETURN n.id AS id', {
      id: user.id,
    });
    expect(rows).toHaveLength(1);
  });
});

describe('groups', () => {
  test('concurrent commands share a group, and each sees earlier ones', async () => {
    const id = await addNode({ title: 'start' });
    const before = worker.groupSizes.length;
    const replies: ReplyMessage[] = await Promise.all([
      worker.send(user, 'node:update', { id, title: 'first', version: 1 }),
      worker.send(user, 'node:update', { id, title: 'second', version: 1 }),
      worker.send(user, 'node:update', { id, title: 'third', version: 2 }),
    ]);
    expect(worker.groupSizes.slice(before)).toEqual([3]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(replies[1]).toMatchObject({ error: 'version_conflict', details: { version: 2 } });
  });

  test('[LNK4] two halves of a cycle in one group: the second is refused', async () => {
    const [a, b, c] = [await addNode(), await addNode(), await addNode()];
    await addLink(a, b);
    const replies = await Promise.all([
      worker.send(user, 'link:add', { source: b, target: c }),
      worker.send(user, 'link:add', { source: c, target: a }),
    ]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
    expect(replies[1]).toMatchObject({ error: 'conflict.cycle', details: { path: [a, b, c] } });
  });

  test('[LNK4] two halves of a cycle on two workers: one is refused', async () => {
    const other = startTestWorker(database);
    const [a, b] = [await addNode(), await addNode()];
    const [c, d] = [await addNode(), await addNode()];
    await addLink(a, b);
    await addLink(c, d);
    const replies = await Promise.all([
      worker.send(user, 'link:add', { source: b, target: c }),
      other.send(user, 'link:add', { source: d, target: a }),
    ]);
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('[GEN9] a no-op answers an empty diff and stores nothing', async () => {
    const id = await addNode({ title: 'same' });
    // Other tests write at the same time, so only changes of this node are counted.
    const count = async () =>
      (await database.read('MATCH (t:Touch|Batch {entity: $id}) RETURN count(t) AS count', { id }))[0]?.count;
    const before = await count();
    expect(before).not.toBe(0);
    const diff = await worker.run(user, 'node:update', { id, title: 'same' });
    expect(diff).toMatchObject({ batchId: null, nodes: [], links: [], access: [], user: [] });
    expect(await count()).toBe(before);
  });
});

describe('size', () => {
  test('[BLK5 LNK4] a chain too long to load with other commands is decided separately', async () => {
    const { nodes } = await sow(database, user, { ...chain(700), completed: true });
    const [root, leaf] = [nodes[0] as string, nodes.at(-1) as string];
    const cycle = await worker.refused(user, 'link:add', { source: root, target: leaf });
    expect(cycle.code).toBe('conflict.cycle');
    expect(cycle.details.path).toEqual([...nodes].reverse());
    const diff = await worker.run(user, 'node:update', { id: leaf, status: 1 });
    const order = diff.nodes.filter(({ op }) => op === 2).map(({ after }) => after.id);
    expect(order).toEqual([...nodes].reverse());
  });

  test('[BLK6] a parent of 600 children is unblocked by the last', async () => {
    const parent = await addNode();
    const children = await Promise.all(Array.from({ length: 600 }, () => addNode({ target: parent })));
    const diffs = await Promise.all(children.map((id) => worker.run(user, 'node:update', { id, status: 3 })));
    const unblocking = diffs.filter((diff) => diff.nodes.some(({ after }) => after.id === parent));
    expect(unblocking).toHaveLength(1);
    const back = await worker.run(user, 'node:update', { id: parent, independent: true });
    expect(back.nodes).toHaveLength(1);
  });
});

test('[GEN8] a committed command is answered even if its slices cannot be published', async () => {
  let failures = 0;
  const unlucky = startTestWorker(database, {
    onPublish() {
      failures++;
      throw new Error('MAX_PAYLOAD_EXCEEDED');
    },
  });
  expect(await unlucky.send(user, 'node:add', { title: 'alone' })).toMatchObject({ ok: true });
  const replies = await Promise.all([1, 2, 3].map((at) => unlucky.send(user, 'node:add', { title: `${at}` })));
  expect(replies.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(failures).toBe(2);
});

test('[GEN8 GEN12] a command whose deadline passes while its group is written is not committed, and the others of the group are', async () => {
  const clock = { aheadMs: 0 };
  const slow: Database = {
    ...database,
    begin(timeoutMs) {
      const transaction = database.begin(timeoutMs);
      return {
        ...transaction,
        run(cypher, parameters, name) {
          if (name === 'WRITE_GROUP') clock.aheadMs = 60_000;
          return transaction.run(cypher, parameters, name);
        },
      };
    },
  };
  const own = startTestWorker(slow, { nowMs: () => Date.now() + clock.aheadMs });
  const [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
  const replies = await Promise.all([
    own.send(ann, 'node:add', {}, { patienceMs: 30_000 }),
    own.send(bob, 'node:add', {}),
  ]);
  expect(own.groupSizes).toEqual([2]);
  expect(replies).toMatchObject([{ ok: false, error: 'unavailable', details: { outcome: 'unknown' } }, { ok: true }]);
  const batches = await database.read('MATCH (b:Batch) WHERE b.actorId IN $ids RETURN b.actorId AS id', {
    ids: [ann.id, bob.id],
  });
  expect(batches).toEqual([{ id: bob.id }]);
});

test('[HIS7] the timestamps of a worker whose clock is ahead stay with the touched owners, and continue from there', async () => {
  const [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
  const fast = startTestWorker(database, { nowMs: () => Date.now() + 3_600_000 });
  const timesOf = async (owner: ActingUser) => {
    const rows = await database.read('MATCH (b:Batch {actorId: $id}) RETURN b.ts AS ts', { id: owner.id });
    return rows.map(({ ts }) => ts as string);
  };
  await fast.run(ann, 'node:add', {});
  for (let round = 0; round < 3; round++) {
    // In one group.
    await Promise.all([ann, bob].map((owner) => worker.run(owner, 'node:add', {})));
  }
  expect(worker.groupSizes.slice(-3)).toEqual([2, 2, 2]);
  const [first, ...later] = (await timesOf(ann)).sort();
  const after = [1, 2, 3].map((ms) => new Date(Date.parse(first as string) + ms).toISOString());
  expect(later).toEqual(after);
  const latest = Date.parse((await timesOf(bob)).sort().at(-1) as string);
  expect(latest).toBeLessThanOrEqual(Date.now());
  const [row] = await database.read('MATCH (u:User {id: $id}) RETURN u.lastTs AS ts', { id: bob.id });
  expect(Date.parse(row?.ts as string)).toBe(latest);
});

test.each(['merged', 'separate'] as const)(
  '[HIS1] each mutation stores its batch, with patches and guards, in the %s form',
  async (historyForm) => {
    const id = await addNode({ title: 'old' });
    const own = startTestWorker(database, { historyForm });
    const diff = await own.run(user, 'node:update', { id, title: 'new', status: 1 });
    const rows = await database.read('MATCH (b:Batch {id: $id}) RETURN properties(b) AS batch', { id: diff.batchId });
    const batch = rows[0]?.batch as Record<string, string>;
    const form =
      historyForm === 'merged'
        ? { entity: id, owner: user.id, feed: `user:${user.id}`, nodes: [id] }
        : { undone: false };
    expect(batch).toMatchObject({ actorId: user.id, ts: diff.ts, ...form });
    expect(batch.actorEmail).toBe(user.email);
    expect(JSON.parse(batch.details ?? JSON.stringify(batch))).toMatchObject({ event: 'node:update' });
    const operations = historyOperations(JSON.parse(batch.changes ?? ''), batch.ts ?? '');
    expect(operations).toMatchObject([
      {
        id: 1,
        type: 1,
        entityId: id,
        forwardPatch: { Title: 'new' },
        inversePatch: { Title: 'old' },
        guard: { Version: 1 },
      },
      { id: 2, type: 2, entityId: id, forwardPatch: { Status: 1 }, inversePatch: { Status: 0 }, guard: { Version: 2 } },
    ]);
    const touched = await database.read('MATCH (t:Touch|Batch {entity: $id}) RETURN t.ts AS ts', { id });
    expect(touched).toHaveLength(2);
  },
);

test('[EVT1] slices of a feed have consecutive numbers in the order of the batches', async () => {
  const own = await makeUser(database, 'eve');
  const ids = await Promise.all(Array.from({ length: 20 }, () => worker.run(own, 'node:add', {})));
  const slices = worker.slices.filter(({ feed }) => feed === `user:${own.id}`);
  expect(slices.map(({ seq }) => seq)).toEqual(ids.map((_, index) => index + 1));
  expect(slices[0]?.diff.nodes).not.toHaveProperty('0.after.access');
});

test('[EVT3] a walk by `after` and one by `offset` both return everything, nodes before links, each by id', async () => {
  const own = await makeUser(database, 'eve');
  const root = (await worker.run(own, 'node:add', {})).nodes[0]?.after.id;
  for (let count = 0; count < 7; count++) await worker.run(own, 'node:add', { target: root });
  type Page = { nodes: { id: string }[]; links: { id: string }[]; next: string | null; hasMore: boolean };
  const walk = async (advance: (page: Page, seen: number) => object) => {
    const ids: string[] = [];
    let request: object = {};
    for (let pages = 0; pages < 20; pages++) {
      const page = (await worker.read(own, 'graph:get', { limit: 3, ...request })) as unknown as Page;
      ids.push(...page.nodes.map(({ id }) => id), ...page.links.map(({ id }) => id));
      if (!page.hasMore) return ids;
      request = advance(page, ids.length);
    }
    throw new Error('the walk does not end');
  };
  const all = await worker.read(own, 'graph:get', {});
  const expected = [...(all.nodes as { id: string }[]), ...(all.links as { id: string }[])].map(({ id }) => id);
  expect(expected).toHaveLength(15);
  expect(await walk((page) => ({ after: page.next }))).toEqual(expected);
  expect(await walk((_, seen) => ({ offset: seen }))).toEqual(expected);
});

test('[TRS1 TRS5 EVT3] the trash is paged newest first, nodes and links mixed, until they are deleted', async () => {
  const own = await makeUser(database, 'eve');
  const root = (await worker.run(own, 'node:add', { title: 'root' })).nodes[0]?.after.id as string;
  const made = await worker.run(own, 'node:add', { target: root, title: 'child' });
  const [child, link] = [made.nodes[0]?.after.id as string, made.links[0]?.after.id as string];
  await worker.run(own, 'node:trash', { id: root });
  const trashed = await worker.run(own, 'node:trash', { id: child });
  type Page = { nodes: { id: string; lastBatchID: string }[]; links: { id: string }[]; hasMore: boolean };
  const page = async (payload: object) => (await worker.read(own, 'trash:page', payload)) as unknown as Page;
  expect(await page({})).toMatchObject({
    nodes: [{ id: child, lastBatchID: trashed.batchId }, { id: root }],
    hasMore: false,
  });
  expect((await page({})).links.map(({ id }) => id)).toEqual([link]);
  expect(await page({ limit: 1 })).toMatchObject({ nodes: [{ id: child }], links: [], hasMore: true });
  const rest = await page({ limit: 5, offset: 1 });
  expect([...rest.nodes, ...rest.links].map(({ id }) => id).sort()).toEqual([root, link].sort());
  const gone = await worker.run(own, 'node:delete', { id: root });
  expect(gone.nodes).toMatchObject([
    { op: 5, before: { title: 'root' }, after: { id: root, deleted: true, shareRoots: [] } },
  ]);
  expect(gone.links).toMatchObject([{ op: 14, after: { id: link, deleted: true } }]);
  expect(await page({})).toMatchObject({ nodes: [{ id: child }], links: [], hasMore: false });
});
