// Claims against a real Neo4j: the order of the queue, concurrent agents on two workers, ended claims,
// repeated keys, and data of the release before.
import { integer } from '@taskgraph/graph-store/driver/codec';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listEndedClaims } from '@taskgraph/graph-store/maintenance/ended-claims';
import { removeStaleClaims } from '@taskgraph/graph-store/maintenance/stale-claims';
import { type ActingUser, SYSTEM } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { Level, Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  makeUser,
  newId,
  openTestDatabase,
  startTestWorker,
  type TestWorker,
  warmUp,
} from '../test/support/harness.ts';
import { findInconsistencies } from '../test/support/integrity-checker.ts';

const MINUTE_MS = 60_000;

let clock = Date.now();
let database: Database;
let worker: TestWorker;
let other: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
  const nowMs = () => clock;
  [worker, other] = [startTestWorker(database, { nowMs }), startTestWorker(database, { nowMs })];
});
beforeEach(async () => {
  clock = Date.now();
  [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

interface Claim {
  readonly node: WireNode | null;
  readonly claimId: string | null;
}

async function claim(payload: object = {}, by = ann, on = worker): Promise<Claim> {
  const reply = await on.send(by, 'node:claim', payload);
  if (!reply.ok) throw new Error(JSON.stringify(reply));
  return reply.body as unknown as Claim;
}
const claimedId = async (payload: object = {}, by = ann) => (await claim(payload, by)).node?.id ?? null;
async function addNode(payload: object = {}, by = ann): Promise<string> {
  const { nodes } = await worker.run(by, 'node:add', payload);
  return nodes.find(({ before }) => before.id === undefined && Object.keys(before).length === 0)?.after.id as string;
}
const share = (id: string, level: Level, branch = true) =>
  worker.run(ann, 'node:access', { id, email: bob.email, level, branch });

/** Writes nodes straight into the database, as a worker stores them. Returns their ids. */
async function plant(count: number, fields: object = {}): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(0)).sort();
  const now = new Date(clock).toISOString();
  await database.write(
    `MATCH (owner:User {id: $owner}) SET owner.rev = owner.rev + 1
     WITH owner UNWIND $ids AS id
     CREATE (n:Node {id: id, ownerId: $owner, inTrash: false, title: id, description: '', status: $status, openBlockers: $zero,
       type: $zero, tags: [], priority: $zero, independent: false, volume: $zero, version: $one, assignee: [],
       publicBranch: false, x: 0.0, y: 0.0, z: 0.0, pinned: false, collapsed: false, createdTime: $now, lastEditedTime: $now})
     SET n += $fields`,
    { ids, owner: ann.id, now, fields, status: integer(0), zero: integer(0), one: integer(1) },
  );
  return ids;
}

/** The stored fields of a claim of Bob's, with this end. */
const claimUntil = (ms: number) => ({
  status: integer(Status.IN_PROGRESS),
  claimedBy: bob.username,
  claimerId: bob.id,
  claimId: newId(0),
  claimUntil: new Date(ms).toISOString(),
  claimAssigned: false,
});

test('[CLAIM1] a claim takes a node of another owner while a long command has the lock of the first one', async () => {
  const first = await addNode({ dueDate: '2030-01-01' });
  await share(first, Level.EDITOR);
  const own = await addNode({}, bob);
  const hasty = startTestWorker(database, { nowMs: () => clock, lockTimeoutMs: 0 });
  const holder = database.begin(100_000);
  await holder.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: ann.id });
  try {
    expect((await claim({}, bob, hasty)).node?.id).toBe(own);
    // The node that is left may be free.
    const refused = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
    expect(await hasty.send(bob, 'node:claim', {})).toMatchObject(refused);
  } finally {
    await holder.rollback();
  }
  expect((await claim({}, bob, hasty)).node?.id).toBe(first);
});

test('[CLAIM1 PLAN3] claims take the ready list in its order, each with the whole node', async () => {
  const goal = await addNode({ title: 'goal' });
  for (const fields of [
    { dueDate: '2030-01-02' },
    { dueDate: '2030-01-01' },
    { priority: 5 },
    { volume: 9, target: goal },
    { volume: 1, target: goal },
    { status: Status.IN_PROGRESS },
  ]) {
    await addNode({ title: 'task', tags: ['a'], ...fields });
  }
  const plan = await worker.read(ann, 'graph:plan', {});
  const [byHand, ...ready] = plan.ready as string[];
  const shown = await worker.read(ann, 'node:get', { ids: ready });
  const claims: Claim[] = [];
  for (const _ of ready) claims.push(await claim({ lease: 10 }));
  expect(claims.map(({ node }) => node?.id)).toEqual(ready);
  expect(ready).not.toContain(byHand);
  expect(await claim()).toMatchObject({ node: null, claimId: null });
  const before = shown.nodes as WireNode[];
  expect(claims.map(({ node }) => node)).toEqual(
    before.map((node, index) => ({
      ...node,
      version: 3,
      status: Status.IN_PROGRESS,
      assignee: ['ann'],
      claimedBy: 'ann',
      claimUntil: claims[index]?.node?.claimUntil,
      lastEditedTime: claims[index]?.node?.lastEditedTime,
    })),
  );
});

test('[CLAIM1] a lone claim gets a node that was added, freed or unblocked just before', async () => {
  const [second, blocker] = [await addNode({ dueDate: '2030-01-02' }), await addNode({ status: Status.IN_PROGRESS })];
  const blocked = await addNode({ dueDate: '2030-01-01' });
  await worker.run(ann, 'link:add', { source: blocker, target: blocked });
  expect(await claimedId()).toBe(second);
  await worker.run(ann, 'node:update', { id: blocker, status: Status.COMPLETED });
  expect(await claimedId()).toBe(blocked);
  await worker.run(ann, 'node:claim:release', { id: second });
  expect(await claimedId()).toBe(second);
  const added = await addNode();
  expect([await claimedId(), await claimedId()]).toEqual([added, null]);
});

describe('[CLAIM2] concurrent claims', () => {
  test('of 64 agents of one user and a bot-like second user on two workers get other nodes', async () => {
    const NODES = 200;
    const root = await addNode({ independent: true });
    await share(root, Level.EDITOR);
    const operations = Array.from({ length: NODES - 1 }, () => ({ event: 'node:add', payload: { target: root } }));
    await worker.run(ann, 'batch:run', { operations });
    const taken: Claim[] = [];
    const agent = async (by: ActingUser, on: TestWorker) => {
      for (;;) {
        const reply = await on.send(by, 'node:claim', { root });
        // Two workers may take the same candidates for some rounds.
        if (!reply.ok && reply.error === 'unavailable') continue;
        const taking = reply.ok ? (reply.body as unknown as Claim) : { node: null, claimId: reply.error };
        if (taking.node === null) return taking.claimId;
        taken.push(taking);
      }
    };
    const agents = Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? agent(ann, worker) : agent(bob, other)));
    expect(new Set(await Promise.all(agents))).toEqual(new Set([null]));
    expect(taken).toHaveLength(NODES);
    expect(new Set(taken.map(({ node }) => node?.id)).size).toBe(NODES);
    expect(new Set(taken.map(({ claimId }) => claimId)).size).toBe(NODES);
  });

  test('of one worker share its reads of the queue', async () => {
    await plant(64);
    const counted = { reads: 0 };
    const counting = {
      ...database,
      read: (...parameters: Parameters<Database['read']>) => {
        if (parameters[0].includes('n.claimUntil <= $now')) counted.reads++;
        return database.read(...parameters);
      },
    };
    const own = startTestWorker(counting as Database);
    const claims = await Promise.all(Array.from({ length: 64 }, () => claim({}, ann, own)));
    expect(new Set(claims.map(({ node }) => node?.id)).size).toBe(64);
    expect(counted.reads).toBeLessThan(16);
  });
});

describe('[CLAIM1] the queue', () => {
  test('has nodes behind 2,000 that are claimed, and 300 that the caller may only view', async () => {
    await plant(2_000, claimUntil(clock + 60 * MINUTE_MS));
    const viewed = await addNode({ independent: true });
    for (let at = 0; at < 300; at += 100) {
      const operations = Array.from({ length: 100 }, () => ({ event: 'node:add', payload: { target: viewed } }));
      await worker.run(ann, 'batch:run', { operations });
    }
    await share(viewed, Level.VIEWER);
    const free = await addNode({ volume: 0, dueDate: null });
    await share(free, Level.EDITOR, false);
    expect([await claimedId({}, bob), await claimedId({}, bob)]).toEqual([free, null]);
  });

  test('has the nodes that node:find finds, in the branch of root', async () => {
    const root = await addNode({ tags: ['docs'], independent: true });
    const [inside] = [await addNode({ target: root, tags: ['docs'], priority: 1 }), await addNode({ target: root })];
    await addNode({ tags: ['docs'], priority: 9 });
    const where = { tag: ['docs'], priority: { min: 1 } };
    expect([await claimedId({ root, where }), await claimedId({ root, where })]).toEqual([inside, null]);
    expect(await claimedId({ where: { assignee: ['me'] } })).toBeNull();
    await worker.run(ann, 'node:claim:release', { id: inside });
    expect(await claimedId({ root, where: { any: [{ priority: { min: 1 } }] } })).toBe(inside);
  });

  test('has the nodes that meet conditions on links, texts and the level', async () => {
    const [goal, linked, alone] = [
      await addNode(),
      await addNode({ title: 'Linked' }),
      await addNode({ title: 'Alone' }),
    ];
    await worker.run(ann, 'link:add', { source: linked, target: goal });
    const taken = [
      await claimedId({ where: { blocks: goal, title: ['LINKED'] } }),
      await claimedId({ where: { unlinked: true } }),
      await claimedId({ where: { any: [{ unlinked: true }, { blocks: goal }] } }),
    ];
    expect(taken).toEqual([linked, alone, null]);
  });

  test('meets its conditions behind hundreds of nodes that do not', async () => {
    await plant(600);
    const [last] = [await addNode({ tags: ['rare'], volume: 0 })];
    await plant(600);
    await worker.run(ann, 'node:update', { id: last, title: 'Rare' });
    expect([await claimedId({ where: { tag: ['rare'] } }), await claimedId({ where: { tag: ['rare'] } })]).toEqual([
      last,
      null,
    ]);
  });

  test('is not planned again while nothing changes, and is after a change', async () => {
    const counted = { plans: 0 };
    const counting = {
      ...database,
      read: (...parameters: Parameters<Database['read']>) => {
        if (parameters[0].includes('OPTIONAL MATCH (n)-[r:BLOCKS]->(b)')) counted.plans++;
        return database.read(...parameters);
      },
    };
    const own = startTestWorker(counting as Database);
    await worker.run(ann, 'node:update', { id: await addNode(), status: Status.IN_PROGRESS });
    expect(await claim({}, ann, own)).toMatchObject({ node: null });
    const { plans } = counted;
    expect(plans).toBeGreaterThan(0);
    for (let polls = 0; polls < 5; polls++) expect(await claim({}, ann, own)).toMatchObject({ node: null });
    expect(counted.plans).toBe(plans);
    const added = await addNode();
    expect((await claim({}, ann, own)).node?.id).toBe(added);
  });

  test('is refused for a root that the caller does not see', async () => {
    const root = await addNode();
    expect(await worker.refused(bob, 'node:claim', { root })).toMatchObject({ code: 'forbidden' });
    expect(await worker.refused(bob, 'node:claim', { root: newId(0) })).toMatchObject({ code: 'not_found' });
  });

  test('has no hidden nodes of a grant, but those of its root', async () => {
    const root = await addNode();
    await share(root, Level.EDITOR);
    await worker.run(bob, 'node:showing', { id: root, showing: false });
    expect([await claimedId({}, bob), await claimedId({ root }, bob)]).toEqual([null, root]);
  });

  test('[DRY1] stays as it is after a dry run, which shows the node', async () => {
    const id = await addNode();
    const dry = await claim({ dryRun: true });
    expect(dry).toMatchObject({ node: { id, claimedBy: 'ann', status: Status.IN_PROGRESS }, claimId: null });
    expect(await claimedId()).toBe(id);
    expect(await claim({ dryRun: true })).toMatchObject({ node: null, claimId: null, dryRun: true });
  });
});

describe('[CLAIM3] from its end on, a claim', () => {
  test('leaves the node to others at once, and the system releases it', async () => {
    const id = await addNode();
    await share(id, Level.EDITOR);
    const first = await claim({ lease: 5 }, bob);
    expect([first.node?.id, await claimedId()]).toEqual([id, null]);
    clock += 5 * MINUTE_MS;
    const late = { id, claimId: first.claimId };
    expect(await worker.refused(bob, 'node:claim:renew', late)).toMatchObject({ code: 'conflict.claim_ended' });
    const second = await claim({ lease: 5 });
    expect(second.node).toMatchObject({ id, assignee: ['ann'], claimedBy: 'ann' });
    const update = { id, claim: first.claimId, status: Status.COMPLETED };
    expect(await worker.refused(bob, 'node:update', update)).toMatchObject({ code: 'conflict.claim_ended' });
    expect((await worker.run(SYSTEM, 'node:claim:expire', { id })).batchId).toBeNull();
    clock += 5 * MINUTE_MS;
    const { batchId, actor } = await worker.run(SYSTEM, 'node:claim:expire', { id });
    expect([actor, batchId === null]).toEqual([{ username: 'system', email: '' }, false]);
    const { nodes } = await worker.read(bob, 'node:get', { id });
    expect(nodes).toMatchObject([{ status: Status.AVAILABLE, assignee: [], claimedBy: null, claimUntil: null }]);
  });

  test('is listed for jobs, in pages by its end', async () => {
    const until = new Date(Date.UTC(2001, 0, 1)).toISOString();
    const ids = [
      ...(await plant(3, claimUntil(Date.UTC(2000, 0, 1)))),
      ...(await plant(2, claimUntil(Date.UTC(2000, 0, 2)))),
    ];
    await plant(1, claimUntil(clock + MINUTE_MS));
    const listed: string[] = [];
    for (let after: Awaited<ReturnType<typeof listEndedClaims>>[number] | null = null; ; ) {
      const page: Awaited<ReturnType<typeof listEndedClaims>> = await listEndedClaims(database, {
        until,
        after,
        limit: 2,
      });
      listed.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
      after = page.at(-1) ?? null;
    }
    expect(listed.filter((id) => ids.includes(id))).toEqual(ids);
  });
});

describe('[CLAIM4 GEN8] a repeated claim gets its first answer', () => {
  const repeat = async (payload: object, key: string, by = ann) =>
    (await worker.send(by, 'node:claim', payload, { key })) as Extract<ReplyMessage, { ok: true }>;

  test('when the queue is empty by then', async () => {
    const id = await addNode();
    const first = await repeat({}, 'once');
    expect(first.body).toMatchObject({ node: { id } });
    expect(await claimedId()).toBeNull();
    const second = await repeat({}, 'once');
    expect(second.body).toEqual(first.body);
    // A claim that took nothing is decided again.
    expect((await repeat({}, 'later')).body).toMatchObject({ node: null });
    const added = await addNode();
    expect((await repeat({}, 'later')).body).toMatchObject({ node: { id: added } });
  });

  test('when its root is refused by then', async () => {
    const root = await addNode();
    await share(root, Level.EDITOR);
    const first = await repeat({ root }, 'once', bob);
    expect(first.body).toMatchObject({ node: { id: root } });
    await worker.run(ann, 'node:access:delete', { id: root, email: bob.email });
    expect(await worker.refused(bob, 'node:claim', { root })).toMatchObject({ code: 'forbidden' });
    const { diff, node, claimId } = (await repeat({ root }, 'once', bob)).body;
    // What Bob no longer sees is left out.
    expect([diff, node, claimId]).toMatchObject([{ batchId: first.body.claimId, nodes: [] }, null, first.body.claimId]);
  });

  test('when another payload has the key, it is refused', async () => {
    await addNode();
    await repeat({}, 'once');
    expect(await worker.send(ann, 'node:claim', { lease: 7 }, { key: 'once' })).toMatchObject({
      error: 'conflict.idempotency_key',
    });
  });
});

test('[CLAIM3] a claim that the release before left on a completed node counts for nothing', async () => {
  const [completed, trashed] = await Promise.all([
    plant(1, { ...claimUntil(clock + MINUTE_MS), status: integer(Status.COMPLETED) }),
    plant(1, { ...claimUntil(clock + MINUTE_MS), inTrash: true }),
  ]);
  const [id] = completed;
  const { nodes } = await worker.read(ann, 'graph:get', {});
  expect(nodes).toMatchObject([{ id, claimedBy: null, claimUntil: null }]);
  expect(await worker.refused(bob, 'node:claim', { id })).toMatchObject({ code: 'forbidden' });
  expect(await worker.refused(ann, 'node:claim', { id })).toMatchObject({ code: 'conflict.not_claimable' });
  await worker.run(ann, 'node:update', { id, status: Status.AVAILABLE });
  expect(await claimedId()).toBe(id);
  await worker.run(ann, 'node:restore', { id: trashed[0] });
  await database.write('MATCH (n:Node) WHERE n.id IN $ids DETACH DELETE n', { ids: [...completed, ...trashed] });
});

test('[CLAIM3] claims that the release before left are removed, and no claim of a node in progress', async () => {
  // Before all claims of other tests.
  const fields = claimUntil(Date.UTC(1980, 0, 1));
  const until = '1981-01-01T00:00:00.000Z';
  const stale = [
    ...(await plant(1, { ...fields, status: integer(Status.COMPLETED) })),
    ...(await plant(1, { ...fields, inTrash: true })),
    ...(await plant(1, { ...fields, status: integer(Status.BLOCKED), statusBefore: integer(Status.AVAILABLE) })),
  ];
  const counting = [
    ...(await plant(1, fields)),
    ...(await plant(1, { ...fields, status: integer(Status.BLOCKED), statusBefore: integer(Status.IN_PROGRESS) })),
  ];
  expect(await removeStaleClaims(database, { until, limit: 2 })).toBe(2);
  expect(await removeStaleClaims(database, { until, limit: 2 })).toBe(1);
  expect(await removeStaleClaims(database, { until, limit: 2 })).toBe(0);
  const rows = await database.read(
    `MATCH (n:Node) WHERE n.id IN $ids
     RETURN n.id AS id, n.version AS version, size([name IN keys(n) WHERE name STARTS WITH 'claim']) AS fields`,
    { ids: [...stale, ...counting] },
  );
  const byId = new Map(rows.map(({ id, ...row }) => [id, row]));
  expect(stale.map((id) => byId.get(id))).toEqual(stale.map(() => ({ version: 1, fields: 0 })));
  expect(counting.map((id) => byId.get(id))).toEqual(counting.map(() => ({ version: 1, fields: 5 })));
  await database.write('MATCH (n:Node) WHERE n.id IN $ids DETACH DELETE n', { ids: [...stale, ...counting] });
});

test('[CLAIM3] a claim that the release before left does not come back with a start by hand', async () => {
  const ended = await plant(2, { ...claimUntil(clock - MINUTE_MS), status: integer(Status.AVAILABLE) });
  const current = await plant(2, { ...claimUntil(clock + MINUTE_MS), status: integer(Status.COMPLETED) });
  const ids = [...ended, ...current];
  for (const id of ids) {
    if (current.includes(id)) await worker.run(ann, 'node:update', { id, status: Status.AVAILABLE });
    await worker.run(ann, 'node:update', { id, status: Status.IN_PROGRESS });
    // Another worker has only what is stored.
    expect(await other.run(SYSTEM, 'node:claim:expire', { id })).toMatchObject({ batchId: null });
    expect(await other.refused(ann, 'node:claim', { id })).toMatchObject({ code: 'conflict.not_claimable' });
  }
  const rows = await database.read(
    'MATCH (n:Node) WHERE n.id IN $ids RETURN n.status AS status, n.claimId AS claimId',
    {
      ids,
    },
  );
  expect(rows).toEqual(ids.map(() => ({ status: Status.IN_PROGRESS, claimId: null })));
});
