// The effects of jobs on the database: they remove deleted content from history, old history, and
// rows of feeds without readers.
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type Failure, failureOf } from '@taskgraph/graph-store/driver/failures';
import { isOver, listExpirations } from '@taskgraph/graph-store/maintenance/due-expirations';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/history-rewrite';
import { listDeadFeeds, retireFeed } from '@taskgraph/graph-store/maintenance/membership-collection';
import {
  deleteOldBatches,
  deleteOldEntries,
  deleteOwnersTouches,
  listFeeds,
  listOldFeeds,
} from '@taskgraph/graph-store/maintenance/old-history';
import { listOldTrash } from '@taskgraph/graph-store/maintenance/old-trash';
import { listUsers } from '@taskgraph/graph-store/maintenance/user-list';
import { type ActingUser, SYSTEM } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker, warmUp } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

const DAY_MS = 86_400_000;
const REWRITTEN_AT_ONCE = 100;
/** A check of the whole database exceeds the server's default time limit of a statement. */
const LOOK_MS = 60_000;
let database: Database;
/** Long ago, so that only these tests' data is old. */
let clock = Date.UTC(2001, 0, 1);
let worker: TestWorker;

beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
  worker = startTestWorker(database, { nowMs: () => clock });
});
afterAll(async () => {
  expect(await findInconsistencies(database, 'everybody')).toEqual([]);
  await database.close();
});

const now = () => new Date(clock).toISOString();

async function addNode(by: ActingUser, payload: object, on = worker): Promise<string> {
  return (await on.run(by, 'node:add', payload)).nodes[0]?.after.id as string;
}

/**
 * Whether any stored string contains a text. It stops at the first, since a scan of other tests'
 * data takes seconds.
 */
async function isStored(text: string): Promise<boolean> {
  const [row] = await database.write(
    `CALL () {
       MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $text
         OR any(item IN coalesce(n[key], []) WHERE valueType(n[key]) STARTS WITH 'LIST' AND toStringOrNull(item) CONTAINS $text))
       WITH n LIMIT 1 RETURN count(*) AS found
       UNION ALL
       MATCH ()-[r]->() WHERE any(key IN keys(r) WHERE toStringOrNull(r[key]) CONTAINS $text) RETURN count(*) AS found
     }
     RETURN sum(found) AS found`,
    { text },
    LOOK_MS,
  );
  return (row?.found as number) > 0;
}

test('[TRS5] no text of a deleted entity remains in any stored string; history and answers are unchanged', async () => {
  const [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
  const secret = `secret-${ann.id}`;
  const kept = await addNode(ann, { title: `kept-${ann.id}` });
  const added = await worker.send(
    ann,
    'node:add',
    { title: secret, description: secret, target: kept },
    { key: 'one' },
  );
  const id = (added.ok ? (added.body.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after.id : '') as string;
  await worker.run(ann, 'node:update', { id, tags: [`${secret}-tag`], assignee: [`${secret}-mate`] });
  await worker.run(ann, 'node:access', { id, email: `${secret}@example.com` });
  const { batchId } = await worker.run(ann, 'node:access', { id, email: bob.email, branch: false });
  await worker.run(ann, 'node:trash', { id });
  expect(await isStored(secret)).toBe(true);
  await worker.run(ann, 'node:delete', { id });

  const asked = async () => [
    await worker.read(ann, 'history:page', { scopeType: 'GRAPH', scopeId: ann.id }),
    await worker.send(ann, 'node:add', { title: secret, description: secret, target: kept }, { key: 'one' }),
    await worker.send(ann, 'batch:undo', { batchId }),
  ];
  const before = await asked();
  expect(await listUnwritten(database, 10_000)).toContain(id);
  // Other tests have left some, too. The job removes a few at once.
  const some = () => listUnwritten(database, REWRITTEN_AT_ONCE);
  let rewritten = 0;
  for (let ids = await some(); ids.length > 0; ids = await some()) rewritten += await rewriteHistory(database, ids);
  expect(rewritten).toBeGreaterThan(0);
  expect(await asked()).toEqual(before);
  // The e-mail of the removed grant is still known as a former grantee; no content of the node is
  // left.
  await database.write('MATCH (p:Principal {email: $email}) DELETE p', { email: `${secret}@example.com` });
  expect(await isStored(secret)).toBe(false);
  expect(await isStored(`kept-${ann.id}`)).toBe(true);
  expect(await listUnwritten(database, 10_000)).toEqual([]);
  expect(await rewriteHistory(database, [id])).toBe(0);
});

async function purgeHistory(before: string): Promise<void> {
  const actors = [SYSTEM.id, ...(await listUsers(database, '', 100_000))];
  for (const feed of await listOldFeeds(database, await listFeeds(database, '', 100_000), before)) {
    while ((await deleteOldEntries(database, feed, before)) > 0);
  }
  while ((await deleteOldBatches(database, actors, before)) > 0);
  while ((await deleteOwnersTouches(database, actors, before)) > 0);
}

const FORMS = [
  ['separate', 'separate'],
  ['separate', 'merged'],
  ['merged', 'separate'],
  ['merged', 'merged'],
] as const;

/** Workers that write history in these forms. */
function workersOf(...forms: readonly HistoryForm[]): TestWorker[] {
  return forms.map((historyForm) => startTestWorker(database, { nowMs: () => clock, historyForm }));
}

test.each(FORMS)(
  '[HIS8 EVT2] old history is deleted in whole batches with their index rows; older positions require a new read (%s, %s)',
  async (...forms) => {
    const [worker, next] = workersOf(...forms) as [TestWorker, TestWorker];
    const ann = await makeUser(database, 'ann');
    const id = await addNode(ann, { title: 'one' }, worker);
    const first = (await worker.read(ann, 'graph:get', {})).position;
    const { batchId: old } = await worker.run(ann, 'node:update', { id, title: 'two' });
    clock += 2 * DAY_MS;
    const limit = now();
    clock += 1_000;
    await next.run(ann, 'node:update', { id, title: 'three' });
    const second = (await worker.read(ann, 'graph:get', {})).position;
    await worker.run(ann, 'node:update', { id, title: 'four' });
    await purgeHistory(limit);

    const { batches } = await worker.read(ann, 'history:page', { scopeType: 'NODE', scopeId: id });
    expect(batches).toHaveLength(2);
    expect((await worker.read(ann, 'history:page', { scopeType: 'GRAPH', scopeId: ann.id })).batches).toHaveLength(2);
    expect(await worker.refused(ann, 'batch:undo', { batchId: old })).toMatchObject({ code: 'not_found' });
    expect(await worker.read(ann, 'changes:get', { since: first })).toMatchObject({ resetRequired: true });
    expect(await worker.read(ann, 'changes:get', { since: second })).toMatchObject({ nodes: [{ id, title: 'four' }] });
    const [left] = await database.read(
      'MATCH (r) WHERE (r:Batch OR r:Touch OR r:Entry) AND r.ts < $limit RETURN count(r) AS count',
      { limit },
    );
    expect(left?.count).toBe(0);
  },
);

test.each(FORMS)(
  '[EVT2] the entries of deleted batches stay until their feed forgets them in order (%s, %s)',
  async (...forms) => {
    const [worker, next] = workersOf(...forms) as [TestWorker, TestWorker];
    const ann = await makeUser(database, 'ann');
    const id = await addNode(ann, { title: 'one' }, worker);
    const first = (await worker.read(ann, 'graph:get', {})).position;
    await next.run(ann, 'node:update', { id, title: 'two' });
    await worker.run(ann, 'node:update', { id, title: 'three' });
    clock += DAY_MS;
    while ((await deleteOldBatches(database, [ann.id], now())) > 0);
    const [left] = await database.read('MATCH (b:Batch {actorId: $id}) RETURN count(b) AS count', { id: ann.id });
    expect(left?.count).toBe(0);
    expect(await worker.read(ann, 'changes:get', { since: first })).toMatchObject({ nodes: [{ id, title: 'three' }] });
    expect(await findInconsistencies(database, [ann.id])).toEqual([]);
    expect(await deleteOldEntries(database, `user:${ann.id}`, now())).toBe(3);
    expect(await worker.read(ann, 'changes:get', { since: first })).toMatchObject({ resetRequired: true });
  },
);

/** Until a statement with this parameter waits for a lock. */
function statementBehindLock(parameter: string): Promise<void> {
  return vi.waitFor(
    async () => {
      const rows = await database.read(
        "SHOW TRANSACTIONS YIELD status, parameters WHERE status STARTS WITH 'Blocked' RETURN parameters",
        {},
      );
      if (!rows.some(({ parameters }) => JSON.stringify(parameters).includes(parameter)))
        throw new Error('nothing waits');
    },
    { timeout: 60_000, interval: 5 },
  );
}

test('[EVT2 HIS5] the deletion of entries waits for a batch without a lock on their feed', async () => {
  const [merging] = workersOf('merged') as [TestWorker];
  const ann = await makeUser(database, 'ann');
  const { batchId } = await merging.run(ann, 'node:add', {});
  clock += DAY_MS;
  const feed = `user:${ann.id}`;
  const failures: Failure[] = [];
  const write: Database['write'] = async (...statement) => {
    for (;;) {
      try {
        return await database.write(...statement);
      } catch (error) {
        // A wait for the lock may time out any number of times.
        if (failureOf(error) === 'locked') continue;
        failures.push(failureOf(error));
        throw error;
      }
    }
  };
  // As an undo does: first its origin, then the feed.
  const group = database.begin(60_000);
  await group.run('MATCH (b:Batch {id: $id}) SET b.lock = true', { id: batchId });
  const deleted = deleteOldEntries({ ...database, write }, feed, now());
  try {
    await statementBehindLock(feed);
    await group.run('MATCH (f:Feed {id: $feed}) SET f.lock = true', { feed });
  } finally {
    await group.rollback();
  }
  expect(await deleted).toBe(1);
  // A deadlock would be retried too.
  expect(failures).toEqual([]);
});

test.each(FORMS)('[EVT2 HIS7] a batch without its entry stays in history (%s, %s)', async (...forms) => {
  const [worker, next] = workersOf(...forms) as [TestWorker, TestWorker];
  const ann = await makeUser(database, 'ann');
  const id = await addNode(ann, { title: 'one' }, worker);
  const { batchId } = await next.run(ann, 'node:update', { id, title: 'two' });
  clock += DAY_MS;
  expect(await deleteOldEntries(database, `user:${ann.id}`, now())).toBe(2);
  const page = await worker.read(ann, 'history:page', { scopeType: 'NODE', scopeId: id });
  expect(page.batches).toHaveLength(2);
  expect((await worker.send(ann, 'batch:undo', { batchId })).ok).toBe(true);
  expect(await findInconsistencies(database, [ann.id])).toEqual([]);
});

test.each(FORMS)(
  '[HIS5] a batch that a younger undo refers to stays until the undo is old (%s, %s)',
  async (...forms) => {
    const [worker, next] = workersOf(...forms) as [TestWorker, TestWorker];
    const ann = await makeUser(database, 'ann');
    const id = await addNode(ann, { title: 'one' });
    const { batchId } = await worker.run(ann, 'node:update', { id, title: 'two' });
    clock += DAY_MS;
    const limit = now();
    clock += 1_000;
    const undo = await next.send(ann, 'batch:undo', { batchId });
    await purgeHistory(limit);
    const [touches] = await database.read(
      `RETURN COUNT { MATCH (t:Touch {entity: $id}) WHERE t.ts < $limit }
         + COUNT { MATCH (b:Batch {owner: $id}) WHERE b.ts < $limit } AS ofOwner`,
      { id: ann.id, limit },
    );
    expect(touches).toEqual({ ofOwner: 0 });
    const page = await worker.read(ann, 'history:page', { scopeType: 'USER', scopeId: ann.id });
    const batches = page.batches as { batchId: string; undone: boolean }[];
    expect(batches.map((batch) => batch.batchId)).toEqual([undo.ok ? undo.body.batchId : '', batchId]);
    expect(batches[0]).toMatchObject({ undone: false });
    expect((await worker.send(ann, 'batch:redo', { batchId })).ok).toBe(true);
    clock += DAY_MS;
    await purgeHistory(now());
    const [left] = await database.read('MATCH (b:Batch {actorId: $id}) RETURN count(b) AS count', { id: ann.id });
    expect(left?.count).toBe(0);
  },
);

test('[ACL2] rows of a root without readers are deleted; sharing it again creates all of them', async () => {
  const [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
  const root = await addNode(ann, {});
  const child = await addNode(ann, { target: root });
  const grandchild = await addNode(ann, { target: child });
  const theirs = await addNode(bob, {});
  await worker.run(ann, 'node:access', { id: root, email: bob.email, level: 1 });
  await worker.run(bob, 'link:add', { source: theirs, target: grandchild });
  const feed = `root:${root}`;
  const rows = async () => {
    const found = await database.read('MATCH (n)-[:IN {feed: $feed}]->() RETURN n.id AS id', { feed });
    return found.map(({ id }) => id as string).sort();
  };
  const all = await rows();
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(await retireFeed(database, feed)).toBe('alive');
  await worker.run(ann, 'node:access:delete', { id: root, email: bob.email });
  expect(await rows()).toEqual(all);
  expect((await listDeadFeeds(database, '', 100_000)).dead).toContain(feed);
  const command = database.begin();
  await command.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: bob.id });
  expect(await retireFeed(database, feed)).toBe('busy');
  await command.rollback();
  expect(await rows()).toEqual(all);
  const outcomes = await Promise.all([retireFeed(database, feed), retireFeed(database, feed)]);
  expect(outcomes.filter((outcome) => outcome === all.length)).toHaveLength(1);
  expect(await rows()).toEqual([]);
  expect((await listDeadFeeds(database, '', 100_000)).dead).not.toContain(feed);
  await worker.run(ann, 'node:access', { id: root, email: bob.email });
  expect(await rows()).toEqual(all);
});

test('[ACL5 PUB2 NODE3] due grants are found by the index, earliest first and page by page, without copies', async () => {
  const [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
  const root = await addNode(ann, {});
  const due = (days: number) => new Date(clock + days * DAY_MS).toISOString();
  await worker.run(ann, 'node:access', { id: root, email: bob.email, level: 2, branch: false, due: due(2) });
  const child = await addNode(bob, { target: root });
  await worker.run(ann, 'node:access', { id: child, email: 'somebody@example.com', due: due(1) });
  await worker.run(ann, 'node:access', { id: child, email: 'nobody@example.com', due: due(9) });
  await worker.run(ann, 'node:publish', { id: child, due: due(1) });
  const found: object[] = [];
  for (let after: Parameters<typeof listExpirations>[2]['after'] = null; ; ) {
    const page = await listExpirations(database, 'grants', { until: due(3), after, limit: 1 });
    found.push(...page.expirations.filter(({ nodeId }) => [root, child].includes(nodeId)));
    after = page.next;
    if (after === null) break;
  }
  expect(found).toEqual([
    { nodeId: child, due: due(1) },
    { nodeId: root, due: due(2) },
  ]);
  const { expirations } = await listExpirations(database, 'publications', { until: due(1), after: null, limit: 1_000 });
  expect(expirations).toContainEqual({ nodeId: child, due: due(1) });
  expect(await isOver(database, child, due(1))).toBe(true);
  expect(await isOver(database, child, due(0.5))).toBe(false);
});

test('[TRS5 TRS3] old trash is found, some of each owner; links trashed with a node are not listed separately', async () => {
  const ann = await makeUser(database, 'ann');
  const [one, two, three] = [await addNode(ann, {}), await addNode(ann, {}), await addNode(ann, {})];
  const link = async (source: string, target: string) =>
    (await worker.run(ann, 'link:add', { source, target })).links[0]?.after.id as string;
  const [alone] = [await link(two, three), await link(one, three)];
  await worker.run(ann, 'link:trash', { id: alone });
  await worker.run(ann, 'node:trash', { id: one });
  clock += DAY_MS;
  const before = now();
  await worker.run(ann, 'node:trash', { id: two });
  const old = (kind: 'nodes' | 'links') => listOldTrash(database, kind, { owners: [ann.id], before, each: 10 });
  expect(await old('nodes')).toEqual([one]);
  expect(await old('links')).toEqual([alone]);
});

test('[TRS3 TRS5] a link that stays in the trash when its node is restored ages from then on', async () => {
  const ann = await makeUser(database, 'ann');
  const [one, two, three, four] = [...(await Promise.all([1, 2, 3, 4].map(() => addNode(ann, {}))))];
  const add = async (source?: string, target?: string) =>
    (await worker.run(ann, 'link:add', { source, target })).links[0]?.after.id as string;
  await add(one, two);
  const [skipped, kept] = [await add(three, one), await add(one, four)];
  await worker.run(ann, 'node:trash', { id: one });
  // Only one of the removed links can be restored: the second would close a cycle.
  await add(two, three);
  clock += DAY_MS;
  const before = now();
  await worker.run(ann, 'link:trash', { id: kept });
  expect((await worker.run(ann, 'node:restore', { id: one as string })).skipped).toEqual([skipped]);
  const old = async (until: string) =>
    (await listOldTrash(database, 'links', { owners: [ann.id], before: until, each: 10 })).sort();
  expect(await old(before)).toEqual([]);
  clock += DAY_MS;
  expect(await old(now())).toEqual([skipped, kept].sort());
});
