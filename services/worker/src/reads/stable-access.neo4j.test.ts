import { EarliestEnd } from '@taskgraph/domain/access/earliest-end';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readReaderAccess, withGrantsOn } from '@taskgraph/graph-store/reads/reader';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { branchFeed } from '@taskgraph/wire/feeds';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';
import { answerWhole, pagesOf } from '../test/support/whole-reads.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
beforeEach(async () => {
  [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
});
afterAll(() => database.close());

/** A database that runs an action once, before the first matching statement. */
function interrupted(when: RegExp, happens: () => Promise<unknown>): Database {
  let pending: (() => Promise<unknown>) | null = happens;
  return {
    ...database,
    async read(cypher, parameters) {
      const now = when.test(cypher) ? pending : null;
      if (now !== null) pending = null;
      await now?.();
      return database.read(cypher, parameters);
    },
  };
}

function read(on: Database, actor: ActingUser | null, event: string, payload: Record<string, unknown>) {
  const message = { event, payload, actor, deadline: Date.now() + 60_000, traceId: 'test' };
  return answerWhole(message, { database: on, secret: 'a secret of this test', nowMs: Date.now, pages: pagesOf() });
}

async function shared(): Promise<string> {
  const id = (await worker.run(ann, 'node:add', { title: 'before' })).nodes[0]?.after.id as string;
  await worker.run(ann, 'node:access', { id, email: bob.email });
  return id;
}

test('[ACL7] a page that began before a revocation shows nothing written after it', async () => {
  const id = await shared();
  const on = interrupted(/properties\(n\)\]/, async () => {
    await worker.run(ann, 'node:access:delete', { id, email: bob.email });
    await worker.run(ann, 'node:update', { id, title: 'after' });
  });
  const reply = await read(on, bob, 'graph:get', {});
  expect(reply).toMatchObject({ ok: true, body: { nodes: [] } });
});

test('[PUB3] a page by a public token that was unpublished shows nothing written after that', async () => {
  const id = await shared();
  const published = await worker.run(ann, 'node:publish', { id });
  const root = published.nodes[0]?.after.publicToken;
  const on = interrupted(/properties\(n\)\]/, async () => {
    await worker.run(ann, 'node:unpublish', { id });
    await worker.run(ann, 'node:update', { id, title: 'after' });
  });
  expect(await read(on, null, 'branch:get', { root })).toMatchObject({ ok: false, error: 'not_found' });
});

test('a page restarts only after a change of access', async () => {
  await shared();
  let pages = 0;
  const on = {
    ...database,
    read: (cypher: string, parameters: never) => {
      if (/properties\(n\)\]/.test(cypher)) pages++;
      return database.read(cypher, parameters);
    },
  };
  expect(await read(on, bob, 'graph:get', {})).toMatchObject({ ok: true, body: { nodes: [{ title: 'before' }] } });
  expect(pages).toBe(1);
});

test('[ACL1 GEN7] a page of a branch shows no link of a node that became invisible during the read', async () => {
  // Bob reads below the top. He requests a branch there that others read too.
  const [top, carl] = [await shared(), await makeUser(database, 'carl')];
  const add = async (target: string) => (await worker.run(ann, 'node:add', { target })).nodes.map(({ after }) => after);
  const branch = (await add(top))[0]?.id as string;
  const [{ id: leaf }] = (await add(branch)) as unknown as [{ id: string }];
  await worker.run(ann, 'node:access', { id: branch, email: carl.email });
  const whole = await read(database, bob, 'branch:get', { root: branch });
  expect(whole).toMatchObject({ ok: true, body: { nodes: [{ id: branch }, { id: leaf }], links: [{ source: leaf }] } });
  const hook = await database.read('MATCH ({id: $branch})-[r:BLOCKS]->({id: $top}) RETURN r.id AS id', { branch, top });
  const on = interrupted(/collect\(\[p\.id, source/, () => worker.run(ann, 'link:trash', { id: hook[0]?.id }));
  const { body } = (await read(on, bob, 'branch:get', { root: branch })) as unknown as { body: { links: unknown[] } };
  expect(body?.links ?? []).toEqual([]);
});

describe('[ACL5 ACL7] a grant that ends during a read', () => {
  const DAY_MS = 24 * 3_600_000;
  const HOOK = '01985f0e-3d10-7a11-9c4a-6e8f0a124b53';
  const iso = (ms: number) => new Date(ms).toISOString();
  /** The end of Bob's grant, and the clock of the read. */
  let dueMs: number;
  let clockMs: number;
  let root: string;
  beforeEach(async () => {
    dueMs = Date.now() + DAY_MS;
    clockMs = dueMs - 100;
    root = (await worker.run(ann, 'node:add', { title: 'before', dueDate: iso(dueMs - DAY_MS / 2) })).nodes[0]?.after
      .id as string;
    const grant = { id: root, email: bob.email, level: Level.ADMIN, branch: true, due: iso(dueMs) };
    await worker.run(ann, 'node:access', grant);
  });

  /** A database that runs an action after each statement that reads the grants of a reader. */
  function afterGrants(happens: () => unknown): Database {
    return {
      ...database,
      async read(cypher, parameters) {
        const rows = await database.read(cypher, parameters);
        if (/showing: g\.showing, ownerId: g\.ownerId/.test(cypher)) await happens();
        return rows;
      },
    };
  }

  function readAt(on: Database, nowMs: () => number, event: string, payload: Record<string, unknown>) {
    const message = { event, payload, actor: bob, deadline: dueMs + DAY_MS, traceId: 'test' };
    const horizon = async () => iso(dueMs);
    return answerWhole(message, { database: on, secret: 'a secret of this test', nowMs, pages: pagesOf(), horizon });
  }

  /** The payloads of the reads; `position` is Bob's before the end. */
  const payloads: Readonly<Record<string, (position: string) => Record<string, unknown>>> = {
    'graph:get': () => ({}),
    'branch:get': () => ({ root }),
    'node:get': () => ({ ids: [root], links: true }),
    'node:find': () => ({ root }),
    'trash:page': () => ({}),
    'node:access:list': () => ({ id: root }),
    'history:page': () => ({ scopeType: 'NODE', scopeId: root }),
    'changes:get': (since) => ({ since }),
    'graph:plan': () => ({ root }),
    'node:why': () => ({ id: root }),
    'webhook:message': (from) => ({ hook: HOOK, root: null, events: [], where: null, from, to: null }),
    'webhook:due': () => ({
      hook: HOOK,
      root: null,
      where: null,
      nodes: [{ time: iso(dueMs - DAY_MS / 2), id: root }],
    }),
    'webhook:due-search': () => ({
      hook: HOOK,
      root: null,
      where: null,
      from: { time: iso(dueMs - DAY_MS), id: '' },
      until: null,
      count: 0,
      bytes: 0,
    }),
  };

  test.each(Object.keys(payloads))('%s shows nothing that was written after it', async (event) => {
    const { position } = await worker.feeds(bob);
    // So that the changes since the position contain the node.
    await worker.run(ann, 'node:update', { id: root, volume: 7 });
    const payload = payloads[event]?.(position) ?? {};
    const before = await readAt(database, () => clockMs, event, payload);
    expect(before.ok).toBe(true);
    const written: string[] = [];
    const on = afterGrants(async () => {
      if (written.length > 0) return;
      clockMs = dueMs + 1_000;
      const secret = await makeUser(database, 'secret');
      await worker.run(ann, 'node:update', { id: root, title: 'written after' });
      await worker.run(ann, 'node:access', { id: root, email: secret.email });
      const { nodes } = await worker.run(ann, 'node:add', { title: 'added after', target: root });
      written.push('written after', 'added after', secret.email, nodes[0]?.after.id as string);
      if (event === 'trash:page') await worker.run(ann, 'node:trash', { id: root });
    });
    const reply = await readAt(on, () => clockMs, event, payload);
    expect(written).toHaveLength(4);
    for (const text of written) expect(JSON.stringify(reply)).not.toContain(text);
  });

  test.each(['graph:get', 'trash:page', 'webhook:message'])('%s is repeated only some times', async (event) => {
    const { position } = await worker.feeds(bob);
    let attempts = 0;
    const on = afterGrants(() => {
      attempts++;
      clockMs = dueMs;
    });
    // Each look at the clock after the end sets it back.
    const nowMs = () => {
      const readMs = clockMs;
      clockMs = dueMs - 100;
      return readMs;
    };
    const reply = await readAt(on, nowMs, event, payloads[event]?.(position) ?? {});
    expect(reply).toMatchObject({ ok: false, error: 'unavailable' });
    expect(attempts).toBe(4);
  });

  test('[HOOK7] the content of a message names it, and no other content does', async () => {
    const { position } = await worker.feeds(bob);
    for (const event of ['webhook:message', 'webhook:due']) {
      const payload = payloads[event]?.(position) ?? {};
      expect(await readAt(database, () => clockMs, event, payload)).toMatchObject({ body: { accessEnd: iso(dueMs) } });
      expect(await readAt(database, () => dueMs, event, payload)).not.toHaveProperty('body.accessEnd');
    }
  });

  test('[ACL11] also counts if it is beyond the grants that are read with the access', async () => {
    const access = await readReaderAccess(database, bob, iso(clockMs));
    expect(access.end.time).toBe(iso(dueMs));
    const part = { ...access, levels: new Map(), end: new EarliestEnd(), truncated: true };
    const { levels, end } = await withGrantsOn(database, part, [branchFeed(root)]);
    expect([[...levels.values()], end.time]).toEqual([[Level.ADMIN], iso(dueMs)]);
    expect(part.end.time).toBe(iso(dueMs));
  });
});
