// The same reads with and without `fields`.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
/** The payloads of reads whose answers have nodes. */
let reads: [event: string, payload: Record<string, unknown>][];

beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
  [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
  const { position: since } = await worker.read(ann, 'graph:get', {});
  const add = async (fields: object) => (await worker.run(ann, 'node:add', fields)).nodes[0]?.after.id as string;
  const root = await add({ title: 'root', tags: ['a'], description: 'long' });
  const child = await add({ title: 'child', target: root });
  const trashed = await add({ title: 'trashed' });
  await worker.run(ann, 'node:trash', { id: trashed });
  await worker.run(ann, 'node:access', { id: root, email: bob.email, level: Level.VIEWER, branch: true });
  reads = [
    ['graph:get', { limit: 1 }],
    ['graph:get', {}],
    ['branch:get', { root }],
    ['node:get', { ids: [root, child, trashed], links: true }],
    ['node:find', { where: { leaf: true }, limit: 1 }],
    ['trash:page', {}],
    ['changes:get', { since }],
  ];
});
afterAll(() => database.close());

interface Nodes {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
}

const read = async (user: ActingUser, event: string, payload: object) =>
  (await worker.read(user, event, payload)) as unknown as Nodes & Record<string, unknown>;

test('[NGET3] a read with fields returns the same answer, with only these fields of its nodes', async () => {
  for (const [event, payload] of reads) {
    const whole = await read(ann, event, payload);
    expect(whole.nodes.length, event).toBeGreaterThan(0);
    for (const fields of [['title', 'status'], ['status', 'title', 'title'], []]) {
      const { nodes } = await read(ann, event, { ...payload, fields });
      const names = ['id', 'version', ...fields];
      const expected = whole.nodes.map((node) =>
        Object.fromEntries(Object.entries(node).filter(([name]) => names.includes(name))),
      );
      expect(nodes, event).toEqual(expected);
    }
    const { nodes: _nodes, ...rest } = await read(ann, event, { ...payload, fields: ['title'] });
    const { nodes: _whole, ...others } = whole;
    expect(Object.keys(rest), event).toEqual(Object.keys(others));
    expect([rest.links, rest.hasMore], event).toEqual([others.links, others.hasMore]);
  }
});

test('[NGET3] cached answers with different fields are different answers', async () => {
  for (let turn = 0; turn < 3; turn++) {
    for (const fields of [undefined, ['title'], ['status', 'title'], ['title', 'status']]) {
      const { nodes } = await read(ann, 'graph:get', fields === undefined ? {} : { fields });
      const names = Object.keys(nodes[0] ?? {}).length;
      expect(names).toBe(
        fields === undefined
          ? Object.keys((await read(ann, 'graph:get', {})).nodes[0] ?? {}).length
          : fields.length + 2,
      );
    }
  }
});

test('[NGET3 ACL11] fields that the caller does not see are absent', async () => {
  const fields = ['title', 'publicToken', 'assignee', 'pinned'];
  for (const user of [ann, bob]) {
    const { nodes } = await read(user, 'graph:get', {});
    const { nodes: selected } = await read(user, 'graph:get', { fields });
    expect(selected).toEqual(
      nodes.map((node) =>
        Object.fromEntries(Object.entries(node).filter(([name]) => [...fields, 'id', 'version'].includes(name))),
      ),
    );
  }
});

test('[NGET3] a walk of node:find continues with other fields', async () => {
  const first = await read(ann, 'node:find', { sort: 'title', limit: 1, fields: ['title'] });
  const second = await read(ann, 'node:find', { sort: 'title', limit: 1, after: first.next, fields: ['status'] });
  expect([...first.nodes, ...second.nodes].map(Object.keys)).toEqual(
    [
      ['id', 'title', 'version'],
      ['id', 'status', 'version'],
    ].map((names) => expect.arrayContaining(names)),
  );
});

test.each([[['titel']], [['ownerId']], ['title'], [[1]], [Array.from({ length: 100 }, () => 'title')]])(
  '[NGET3] %j is refused',
  async (fields) => {
    for (const [event, payload] of reads) {
      expect(await worker.ask(ann, event, { ...payload, fields })).toMatchObject({
        ok: false,
        error: 'bad_request.invalid_fields',
      });
    }
  },
);
