// How Neo4j carries out what reads ask: plans are made once and kept, on a database that may still be empty.
import { Level } from '@taskgraph/wire/codes';
import neo4j, { type Driver, type Plan } from 'neo4j-driver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { listExpirations } from '../maintenance/due-expirations.ts';
import { listDeadFeeds } from '../maintenance/membership-collection.ts';
import { deleteOldBatches, listOldFeeds } from '../maintenance/old-history.ts';
import { listOldTrash } from '../maintenance/old-trash.ts';
import { listUnwritten } from '../maintenance/rewriting.ts';
import { openTestDatabase, testDatabaseOptions } from '../test/support/database.ts';
import { listScope, walkBranch } from './branch-scope.ts';
import { lookAlongAscent } from './explaining/ascent-nodes.ts';
import { lookAlongChain, readBlockingLinks } from './explaining/chain-nodes.ts';
import { readRoots } from './explaining/roots.ts';
import { readHeads } from './feeds.ts';
import { listGrants } from './grant-list.ts';
import { memberScope } from './member-scope.ts';
import { ownScope } from './own-scope.ts';
import { readOwnerNames } from './owners.ts';
import { openRoom } from './page-byte-limit.ts';
import { readPlacedNodes } from './placed-nodes.ts';
import { readPublications } from './publications.ts';
import { type ReaderAccess, readReaderAccess } from './reader.ts';
import { readTrashPage } from './trash-page.ts';

let database: Database;
let driver: Driver;
const reader = { id: 'nobody', email: 'nobody@example.com' };
const window = { after: '', skip: 0, limit: 10 };
const room = () => openRoom(1_000_000);

beforeAll(async () => {
  database = await openTestDatabase();
  const { url, user, password } = testDatabaseOptions();
  driver = neo4j.driver(url, neo4j.auth.basic(user, password));
});
afterAll(async () => {
  await database.close();
  await driver.close();
});

/** The rights of somebody who edits a branch. */
function editor(): ReaderAccess {
  return {
    now: '2026-01-01',
    readerId: reader.id,
    email: reader.email,
    levels: new Map([['root:x', Level.EDITOR]]),
    shown: [],
    owners: [],
    guests: true,
    ...{ rights: null, revision: null },
  };
}

const MEMBERSHIP = { ownerId: reader.id, feeds: ['root:x', 'root:y'] };

/** So many steps that one of them looks ahead. */
async function lookFar(look: (ids: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let step = 0; step < 10; step++) await look(['x']);
}

async function allOf(some: AsyncIterable<unknown>): Promise<void> {
  for await (const _one of some);
}

const READS: Readonly<Record<string, (on: Database) => Promise<unknown>>> = {
  readerAccess: (on) => readReaderAccess(on, reader, '2026-01-01'),
  heads: (on) => readHeads(on, ['root:x']),
  'own nodes': (on) => ownScope(on, reader.id).nodes({ ...window, skip: 1 }, room()),
  'own links': (on) => ownScope(on, reader.id).links(window),
  "members' nodes": (on) => memberScope(on, MEMBERSHIP, { readerId: reader.id }).nodes(window, room()),
  "members' links": (on) => memberScope(on, MEMBERSHIP, { readerId: reader.id }).links(window),
  "listed members' links": (on) =>
    memberScope(on, MEMBERSHIP, {
      readerId: reader.id,
      keepLinkIds: async (list) => {
        await list();
        return { after: () => ['x'] };
      },
    }).links({ ...window, after: 'a' }),
  'nodes by id': (on) => readPlacedNodes(on, ['x'], room()),
  walk: (on) => walkBranch(on, 'x'),
  'links among nodes': (on) => listScope(on, ['x'], reader.id).links(window),
  'a chain of blockers': (on) => lookFar(lookAlongChain(on)),
  'links that block': (on) => allOf(readBlockingLinks(on, [{ id: 'x', openBlockers: 1, blocking: null }])),
  'a way up': (on) => lookFar(lookAlongAscent(on)),
  roots: (on) => readRoots(on, { roots: [{ id: 'x', listed: true }], email: 'a', now: '2026-01-01', limit: 10 }),
  publications: (on) => readPublications(on, ['x'], '2026-01-01'),
  grants: (on) => listGrants(on, { node: 'x', email: null, now: '2026-01-01' }),
  names: (on) => readOwnerNames(on, ['x']),
  'own trash': (on) => readTrashPage(on, { ...editor(), levels: new Map() }, { limit: 10, offset: 0 }, room()),
  'ends of grants': (on) => listExpirations(on, 'grants', { until: '2026-01-01', after: null, limit: 10 }),
  'ends of publications': (on) => listExpirations(on, 'publications', { until: '2026-01-01', after: null, limit: 10 }),
  'old nodes in the trash': (on) => listOldTrash(on, 'nodes', { owners: ['x'], before: '2026-01-01', each: 10 }),
  'old links in the trash': (on) => listOldTrash(on, 'links', { owners: ['x'], before: '2026-01-01', each: 10 }),
  'old batches': (on) => deleteOldBatches(on, ['x'], '2026-01-01'),
  'feeds with old entries': (on) => listOldFeeds(on, ['x'], '2026-01-01'),
  'what is deleted and not rewritten': (on) => listUnwritten(on, 10),
  'shared feeds that nobody reads': (on) => listDeadFeeds(on, '', 10),
  "an editor's trash": (on) => readTrashPage(on, editor(), { limit: 10, offset: 0 }, room()),
};

/** The operators of all statements that a read runs. */
async function operatorsOf(read: (on: Database) => Promise<unknown>): Promise<string[]> {
  const plans: Plan[] = [];
  const explaining: Database = {
    ...database,
    async read(cypher, parameters) {
      const session = driver.session();
      const { summary } = await session.run(`EXPLAIN ${cypher}`, parameters);
      await session.close();
      plans.push(summary.plan as Plan);
      return database.read(cypher, parameters);
    },
  };
  await read(explaining);
  expect(plans.length).toBeGreaterThan(0);
  const operators = (plan: Plan): string[] => [plan.operatorType, ...plan.children.flatMap(operators)];
  return plans.flatMap(operators).map((name) => name.split('@')[0] as string);
}

test.each(Object.entries(READS))('%s: every statement begins at an index', async (_what, read) => {
  const operators = await operatorsOf(read);
  expect(operators.filter((name) => /Scan|CartesianProduct/.test(name))).toEqual([]);
});

test.each(['walk', 'a chain of blockers', 'a way up'])(
  '[PUB3 WHY1 WHY2] %s: each node is come by once, however many ways lead to it',
  async (what) => {
    const operators = await operatorsOf(READS[what] as (on: Database) => Promise<unknown>);
    const walking = operators.filter((name) => name.startsWith('VarLengthExpand'));
    expect(walking.length).toBeGreaterThan(0);
    for (const name of walking) expect(name).toContain('Pruning');
  },
);

test.each(['own nodes', 'own links'])(
  '[EVT3] %s: a page stops where it ends, by the order of the index',
  async (what) => {
    const operators = await operatorsOf(READS[what] as (on: Database) => Promise<unknown>);
    // One Top puts the two types of links together; whatever else sorts or compares reads all that there is.
    expect(operators.filter((name) => /Sort|Distinct/.test(name))).toEqual([]);
    expect(operators.filter((name) => name === 'Top')).toHaveLength(what === 'own links' ? 1 : 0);
  },
);

test.each(['own trash', "an editor's trash"])(
  '[TRS2] %s: what is the reader’s own comes by the order of indexes',
  async (what) => {
    const operators = await operatorsOf(READS[what] as (on: Database) => Promise<unknown>);
    expect(operators.filter((name) => name === 'PartialTop')).toHaveLength(3);
  },
);
