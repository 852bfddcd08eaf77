// A replica's searches against a running stack: they equal the pages of node:find, and change with
// each push.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Calls } from '../calls.ts';
import { connect, type TaskgraphClient } from '../connect.ts';
import type { Replica } from './contract.ts';
import { openReplica } from './open-replica.ts';
import type { NodeSearch } from './search-check.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const NODES = 40;
const SEARCHES = 40;
const stack = sharedStack();
const [url = ''] = stack.urls;
let ann: TaskgraphClient;
let bob: TaskgraphClient;
let replica: Replica;
beforeAll(async () => {
  const [one, other] = [await stack.token(emailOf('ann')), await stack.token(emailOf('bob'))];
  ann = await connect({ url, token: one });
  // The searches continue after each wait for the rate limit.
  bob = await connect({ url, token: other, rateLimitWaitMs: 60_000 });
  replica = await openReplica({ url, token: other });
});
afterAll(async () => {
  await replica?.close();
  for (const client of [ann, bob]) client?.close();
});

const word = fc.constantFrom('Ship', 'Straße', 'İşleri', 'later', 'Café', '会議');
const words = fc.array(word, { maxLength: 3 });
const day = fc.constantFrom('2020-01-01', '2026-12-24', '2999-12-24');
/** Tasks below a root. Each may depend on earlier ones. */
const task = fc.record({
  title: words.map((some) => some.join(' ')),
  tags: words,
  description: words.map((some) => some.join(', ')),
  assignee: fc.subarray(['bob', 'ann', 'cleo']),
  priority: fc.nat({ max: 3 }),
  volume: fc.nat({ max: 3 }),
  dueDate: fc.option(day),
  before: fc.uniqueArray(fc.nat({ max: NODES - 1 }), { maxLength: 2 }),
  type: fc.constantFrom(0, 0, 1),
});

async function plant(): Promise<{ root: string; ids: string[] }> {
  const tasks = fc.sample(task, { seed: 7, numRuns: NODES });
  const { made } = await ann.batch((batch) => {
    const root = batch.node.add({ title: 'Ship it' });
    const ids = tasks.map(({ before: _before, type: _type, ...fields }) =>
      batch.node.add({ ...fields, target: root.id }),
    );
    for (const [at, { before, type }] of tasks.entries()) {
      for (const earlier of before.filter((each) => each < at)) {
        batch.link.add({ source: ids[earlier]?.id as string, target: ids[at]?.id as string, type });
      }
    }
    return { root, ids };
  });
  return { root: made.root.id, ids: made.ids.map(({ id }) => id) };
}

function searchesOf(ids: readonly string[]): NodeSearch[] {
  const id = fc.constantFrom(...ids);
  const names = fc.subarray(['me', 'ann', 'cleo'], { maxLength: 2 });
  const numbers = fc.record({ min: fc.nat({ max: 3 }), max: fc.nat({ max: 3 }) }, { requiredKeys: [] });
  const some = {
    id: fc.array(
      id.map((whole) => whole.slice(-8)),
      { maxLength: 2 },
    ),
    title: fc.array(
      words.map((some) => some.join(' ')),
      { maxLength: 2 },
    ),
    status: fc.subarray([0, 1, 2, 3]),
    tag: fc.oneof(words, fc.record({ all: words })),
    assignee: fc.oneof(names, fc.record({ all: names })),
    owner: fc.constantFrom('me', 'ann', 'bob'),
    priority: numbers,
    volume: numbers,
    due: fc.oneof(fc.constant('none'), fc.record({ from: day, to: day }, { requiredKeys: [] })),
    overdue: fc.boolean(),
    created: fc.record({ to: day }),
    edited: fc.record({ from: day }),
    ready: fc.boolean(),
    blocked: fc.boolean(),
    blocks: id,
    waitsFor: id,
    leaf: fc.boolean(),
    top: fc.boolean(),
    unlinked: fc.boolean(),
    level: fc.subarray([0, 2, 3]),
    published: fc.boolean(),
  };
  type Name = keyof typeof some;
  const conditions = fc
    .subarray(Object.keys(some) as Name[], { maxLength: 2 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((name): [Name, fc.Arbitrary<unknown>] => [name, some[name]]))),
    );
  const where = fc
    .tuple(conditions, fc.option(fc.array(conditions, { minLength: 1, maxLength: 2 }), { freq: 3 }))
    .map(([all, any]) => (any === null ? all : { ...all, any }));
  const search = fc.record(
    {
      root: id,
      text: fc
        .array(fc.constantFrom('sh', 'SHIP', 'strass', 'isl', 'cafe', '議', 'none'), { maxLength: 2 })
        .map((all) => all.join(' ')),
      where,
      sort: fc.constantFrom('due', 'priority', 'edited', 'created', 'completed', 'title'),
      order: fc.constantFrom('asc', 'desc'),
      locale: fc.constantFrom('sv', 'de-u-kn'),
    },
    { requiredKeys: [] },
  );
  return fc.sample(search, { seed: 11, numRuns: SEARCHES }) as NodeSearch[];
}

/** All pages of node:find. */
async function found(search: NodeSearch): Promise<Calls['node:find']['answer']['nodes']> {
  const nodes: Calls['node:find']['answer']['nodes'] = [];
  let after: string | null = null;
  do {
    const page: Calls['node:find']['answer'] = await bob.node.find({ ...search, limit: 25, ...(after && { after }) });
    nodes.push(...page.nodes);
    after = page.next;
  } while (after !== null);
  return nodes;
}

test('[FIND8 FIND9] it equals the pages of node:find, and changes with a push', async () => {
  const { root, ids } = await plant();
  const own = await bob.node.add({ title: 'Ship alone', assignee: ['bob'] });
  await ann.node.update({ id: ids[0] as string, status: 3 });
  await ann.access.grant({ id: root, email: emailOf('bob'), level: 2 });
  await expect.poll(() => replica.snapshot().nodes.size, WAIT).toBe(NODES + 2);
  await expect.poll(() => replica.state, WAIT).toBe('live');
  expect(replica.username).toBe('bob');

  let hits = 0;
  for (const search of searchesOf([root, ...ids])) {
    const [expected, here] = [await found(search), replica.find(search)];
    expect({ search, ids: here.map(({ id }) => id) }).toEqual({ search, ids: expected.map(({ id }) => id) });
    hits += here.length;
  }
  expect(hits).toBeGreaterThan(SEARCHES);

  const told: (string[] | null)[] = [];
  const search: NodeSearch = { text: 'unheard', sort: 'title' };
  const end = replica.watchFind(search, (list) => told.push(list?.map(({ title }) => String(title)) ?? null));
  const [first = '', second = ''] = ids;
  await ann.node.update({ id: first, title: 'An unheard thing' });
  await expect.poll(() => told.at(-1), WAIT).toEqual(['An unheard thing']);
  await ann.node.update({ id: second, description: 'unheard too', title: 'Z' });
  await expect.poll(() => told.at(-1), WAIT).toEqual(['An unheard thing', 'Z']);
  expect(replica.find(search).map(({ id }) => id)).toEqual((await found(search)).map(({ id }) => id));
  await ann.access.revoke({ id: root, email: emailOf('bob') });
  await expect.poll(() => told.at(-1), WAIT).toEqual([]);
  expect(replica.find({}).map(({ id }) => id)).toEqual(own.diff.nodes.map(({ after }) => after.id));
  end();
}, 240_000);
