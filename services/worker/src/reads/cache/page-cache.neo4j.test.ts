// Compares cached pages with fresh reads after every kind of change; and caches that omit a part of
// the key serve outdated pages. Rules: ACL1, ACL2, ACL6, ACL7, EVT3, PUB3.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import { createPageCache, type PageCache, type PageRequest } from './page-cache.ts';

let database: Database;
let worker: TestWorker;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
afterAll(() => database.close());

/**
 * A forest of three owners: Ann's leaf hangs below Bob's root, which is shared with her and
 * published; his top hangs over it.
 */
interface Forest {
  readonly ann: ActingUser;
  readonly bob: ActingUser;
  readonly carol: ActingUser;
  readonly top: string;
  readonly root: string;
  readonly leaf: string;
  readonly token: string;
}

async function plant(): Promise<Forest> {
  const [ann, bob, carol] = [await makeUser(database), await makeUser(database), await makeUser(database)];
  const add = async (user: ActingUser, payload: object) =>
    (await worker.run(user, 'node:add', payload)).nodes.find(({ op }) => op === 0)?.after.id as string;
  const top = await add(bob, { title: 'top' });
  const root = await add(bob, { title: 'root', target: top });
  await worker.run(bob, 'node:access', { id: root, email: ann.email, level: Level.EDITOR });
  const token = (await worker.run(bob, 'node:publish', { id: root })).nodes[0]?.after.publicToken as string;
  const leaf = await add(ann, { title: 'leaf' });
  await worker.run(ann, 'link:add', { source: leaf, target: root, type: 1 });
  // The feed of the top now has rows without readers.
  await worker.run(bob, 'node:access', { id: top, email: carol.email });
  await worker.run(bob, 'node:access:delete', { id: top, email: carol.email });
  return { ann, bob, carol, top, root, leaf, token };
}

/** Everything that is done to the forest, one after the other. */
const STEPS: Readonly<Record<string, (forest: Forest) => Promise<unknown>>> = {
  'the owner renames their node': ({ ann, leaf }) => worker.run(ann, 'node:update', { id: leaf, title: 'renamed' }),
  'the grantee hides the branch': ({ ann, root }) => worker.run(ann, 'node:showing', { id: root, showing: false }),
  'and shows it again': ({ ann, root }) => worker.run(ann, 'node:showing', { id: root, showing: true }),
  'another renames theirs': ({ bob, root }) => worker.run(bob, 'node:update', { id: root, title: 'renamed' }),
  'a branch that a node hangs in is shared again': ({ bob, carol, top }) =>
    worker.run(bob, 'node:access', { id: top, email: carol.email }),
  'a level rises': ({ ann, bob, root }) =>
    worker.run(bob, 'node:access:update', { id: root, email: ann.email, level: Level.ADMIN }),
  'a link becomes private': async ({ ann, leaf, root }) => {
    const other = (await worker.run(ann, 'node:add', { title: 'other' })).nodes[0]?.after.id as string;
    const { links } = await worker.run(ann, 'link:add', { source: leaf, target: other, type: 1 });
    await worker.run(ann, 'link:update', { id: links[0]?.after.id as string, private: true });
    return root;
  },
  'a node comes below the root': ({ bob, root }) => worker.run(bob, 'node:add', { title: 'new', target: root }),
  'the top is shared no more': ({ bob, carol, top }) =>
    worker.run(bob, 'node:access:delete', { id: top, email: carol.email }),
  'the publication ends': ({ bob, root }) => worker.run(bob, 'node:unpublish', { id: root }),
  'the grant ends': ({ ann, bob, root }) => worker.run(bob, 'node:access:delete', { id: root, email: ann.email }),
};

type PageRead = readonly [name: string, actor: ActingUser | null, event: string, payload: object];

function questionsOf({ ann, bob, root, token }: Forest): PageRead[] {
  return [
    ['graph of Ann', ann, 'graph:get', {}],
    ['graph of Ann, one by one', ann, 'graph:get', { limit: 1 }],
    ['graph of Bob', bob, 'graph:get', {}],
    ['branch for Ann', ann, 'branch:get', { root }],
    ['branch for Bob', bob, 'branch:get', { root }],
    ['publication for anybody', null, 'branch:get', { root: token }],
    ['publication for Ann', ann, 'branch:get', { root: token }],
  ];
}

/**
 * The questions that, after each step, are answered differently with the cache than without it:
 * twice each, so that pages are cached. With a last step, they are asked before and after that one
 * alone.
 */
async function staleAfter(pageCache: PageCache, last?: string): Promise<string[]> {
  const forest = await plant();
  const answer = (cache: PageCache | undefined, [, actor, event, payload]: PageRead) =>
    answerWhole(
      { event, payload: { ...payload }, actor, deadline: Date.now() + 60_000, traceId: 'test' },
      { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(), ...(cache && { pageCache: cache }) },
    );
  const stale: string[] = [];
  const look = async (step: string) => {
    for (const asked of questionsOf(forest)) {
      const [first, again, anew] = [
        await answer(pageCache, asked),
        await answer(pageCache, asked),
        await answer(undefined, asked),
      ];
      if ([first, again].some((reply) => JSON.stringify(reply) !== JSON.stringify(anew)))
        stale.push(`${step}: ${asked[0]}`);
    }
  };
  if (last === undefined) await look('planted');
  for (const [step, act] of Object.entries(STEPS)) {
    if (step === last) await look(`before ${step}`);
    await act(forest);
    if (last === undefined || step === last) await look(step);
    if (step === last) break;
  }
  return stale;
}

test('[EVT3 ACL1 ACL2 ACL6 ACL7 PUB3] a cached page equals a page that is read again', async () => {
  const pageCache = createPageCache(10_000_000);
  expect(await staleAfter(pageCache)).toEqual([]);
  const counts = pageCache.counts();
  expect(counts.hits).toBeGreaterThan(counts.misses / 2);
});

test('[EVT3] a page of a grantee is served from the cache from its second read on', async () => {
  const { ann } = await plant();
  const pageCache = createPageCache(10_000_000);
  const message = { event: 'graph:get', payload: {}, actor: ann, deadline: Date.now() + 60_000, traceId: 'test' };
  const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(), pageCache };
  const first = await answerWhole(message, environment);
  expect(await answerWhole(message, environment)).toEqual(first);
  expect(pageCache.counts()).toEqual({ hits: 1, misses: 1 });
});

/** Caches that omit a part of the key, each with a step after which it serves an outdated page. */
const FAULTS: Readonly<Record<string, [(question: PageRequest) => PageRequest, stale: string]>> = {
  'the access of the reader': [(question) => ({ ...question, access: null }), 'the grantee hides the branch'],
  'the revisions of owners': [
    (question) => ({ ...question, revisions: async (owners) => new Map(owners.map((id) => [id, 0])) }),
    'a branch that a node hangs in is shared again',
  ],
  'all owners but the reader': [
    (question) => ({
      ...question,
      async make() {
        const { pieces } = await question.make();
        return { pieces, owners: new Set(question.owners.filter((id) => id === question.reader)) };
      },
    }),
    'a branch that a node hangs in is shared again',
  ],
};

test.each(Object.entries(FAULTS))(
  '[EVT3 ACL1] the test detects a cache key without %s',
  async (_, [spoil, stale]) => {
    const cache = createPageCache(10_000_000);
    const found = await staleAfter({ ...cache, get: (question) => cache.get(spoil(question)) }, stale);
    expect(found.some((each) => each.startsWith(stale))).toBe(true);
  },
  60_000,
);
