// The questions of gateways against a real Neo4j: the feeds of users and of public tokens, with
// their heads.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { publicFeeds, readersFeeds } from '@taskgraph/wire/bus/gateway-reads';
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GraphFixture, sowGraph } from '../test/support/graph-fixture.ts';
import { makeUser, newId, openTestDatabase } from '../test/support/harness.ts';
import { asking, type ReadSetup, SECRET } from '../test/support/whole-reads.ts';
import { openPosition } from './position.ts';

const PAST = '2026-05-31T23:59:59.999Z';
const FUTURE = '2026-06-01T00:00:00.001Z';

let database: Database;
let reads: ReadSetup;
let graph: GraphFixture;
let [ann, bob, cy] = [] as unknown as [ActingUser, ActingUser, ActingUser];
const nodes: Record<string, string> = {};

beforeAll(async () => {
  database = await openTestDatabase();
  reads = asking(database);
  graph = sowGraph(database);
  [ann, bob, cy] = (await Promise.all(['ann', 'bob', 'cy'].map((name) => makeUser(database, name)))) as [
    ActingUser,
    ActingUser,
    ActingUser,
  ];
  for (const name of ['branch', 'alone', 'hidden', 'ended', 'open', 'openAlone', 'over', 'gone'])
    nodes[name] = graph.node(ann);
  graph.grant(idOf('branch'), bob.email, Level.EDITOR, { due: FUTURE });
  graph.grant(idOf('alone'), bob.email, Level.ADMIN, { branch: false });
  graph.grant(idOf('hidden'), bob.email, Level.ADMIN, { showing: false });
  graph.grant(idOf('ended'), bob.email, Level.ADMIN, { due: PAST });
  graph.grant(idOf('alone'), cy.email, Level.VIEWER);
  graph.publish(idOf('open'), { due: FUTURE });
  graph.publish(idOf('openAlone'), { branch: false });
  graph.publish(idOf('over'), { due: PAST });
  graph.publish(idOf('gone'));
  graph.trash(idOf('gone'));
  await graph.save();
});
afterAll(async () => {
  await graph.remove([ann, bob, cy]);
  await database.close();
});

function idOf(name: string): string {
  return nodes[name] as string;
}

/** The worker's full answer about one user. */
async function feedsOf({ id, email }: ActingUser) {
  const answer = readersFeeds.parse(await reads.ask(null, 'readers:feeds', { readers: [{ id, email }] }));
  return answer.readers[0] as (typeof answer.readers)[number];
}

/** The head of a feed as it is stored. */
async function headOf(feed: string): Promise<{ feed: string; seq: number; epoch: number }> {
  const [row] = await database.read('MATCH (f:Feed {id: $feed}) RETURN f.seq AS seq, f.epoch AS epoch', { feed });
  return { feed, seq: row?.seq as number, epoch: row?.epoch as number };
}

test('[ACL5 ACL6 EVT1] readers:feeds lists the own feed first, then those of unexpired grants that are shown', async () => {
  const answer = await feedsOf(bob);
  expect(answer.feeds).toEqual([
    { ...(await headOf(userFeed(bob.id))), level: 0, due: null },
    { ...(await headOf(branchFeed(idOf('branch')))), level: 2, due: FUTURE },
    { ...(await headOf(nodeFeed(idOf('alone')))), level: 1, due: null },
  ]);
  const heads = Object.fromEntries(answer.feeds.map(({ feed, seq }) => [feed, seq]));
  expect(openPosition(SECRET, bob.id, answer.position)).toEqual(heads);
});

test('[ACL7] readers:feeds reads grants of a state that is no older than its heads', async () => {
  const orders: (readonly string[] | undefined)[] = [];
  const noting: Database = {
    ...database,
    read(cypher, parameters, order) {
      orders.push(order && [...order.seen]);
      return database.read(cypher, parameters, order);
    },
  };
  await asking(noting).ask(null, 'readers:feeds', { readers: [{ id: bob.id, email: bob.email }] });
  expect(orders.length).toBeGreaterThan(1);
  // Each statement reads with the bookmarks of the one before it.
  expect(orders.slice(1).map((seen) => seen?.length)).toEqual(orders.slice(1).map(() => 1));
});

test('[ACL7] readers:feeds answers for many users at once, and omits deleted ones', async () => {
  const gone = { id: newId(0), email: 'gone@example.com' };
  const sought = [cy, gone, bob].map(({ id, email }) => ({ id, email }));
  const answer = readersFeeds.parse(await reads.ask(null, 'readers:feeds', { readers: sought }));
  const byId = new Map(answer.readers.map(({ id, feeds }) => [id, feeds]));
  expect(byId.size).toBe(2);
  expect(byId.get(bob.id)).toEqual((await feedsOf(bob)).feeds);
  expect(byId.get(cy.id)?.map(({ feed }) => feed)).toEqual([userFeed(cy.id), branchFeed(idOf('alone'))]);
});

test('[ACL7] readers:feeds does not return grants to another e-mail', async () => {
  const answer = readersFeeds.parse(
    await reads.ask(null, 'readers:feeds', { readers: [{ id: cy.id, email: bob.email }] }),
  );
  expect(answer.readers[0]?.feeds.map(({ feed }) => feed)).toEqual([userFeed(cy.id)]);
});

test('[PUB3] public:feeds returns the feed of each valid token, and omits all others', async () => {
  const tokens = ['open', 'openAlone', 'over', 'gone', 'branch'].map((name) => `token-of-${idOf(name)}`);
  const answer = publicFeeds.parse(await reads.ask(null, 'public:feeds', { tokens: [...tokens, 'unknown'] }));
  expect(answer.tokens).toEqual([
    { token: tokens[0], ...(await headOf(branchFeed(idOf('open')))), due: FUTURE },
    { token: tokens[1], ...(await headOf(nodeFeed(idOf('openAlone')))), due: null },
  ]);
});

test.each([
  ['readers:feeds', { readers: Array.from({ length: 501 }, () => ({ id: 'x', email: 'x' })) }],
  ['readers:feeds', { readers: [{ id: 'x' }] }],
  ['public:feeds', { tokens: Array.from({ length: 501 }, () => 'x') }],
  ['feeds:heads', { feeds: Array.from({ length: 1_001 }, () => 'x') }],
  ['tokens:resolve', { hashes: ['x'] }],
  ['tokens:resolve', { hashes: Array.from({ length: 501 }, () => '0'.repeat(64)) }],
])('%s refuses too long or malformed input', async (event, payload) => {
  expect(await reads.refused(null, event, payload)).toBe('bad_request');
});

test('feeds:heads returns the heads of existing feeds', async () => {
  const feed = branchFeed(idOf('open'));
  const answer = await reads.ask(null, 'feeds:heads', { feeds: [feed, 'root:unknown'] });
  expect(answer.feeds).toEqual([await headOf(feed)]);
});
