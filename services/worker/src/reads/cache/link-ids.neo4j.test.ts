// Compares walks over a cached list of links with walks that read all members for each page, after
// every kind of change.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import { createLinkIdsCache, type LinkIdsCache, type LinkIdsRequest } from './link-ids.ts';

const BYTES = 1_000_000;
const LEAVES = 5;

let database: Database;
let worker: TestWorker;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
afterAll(() => database.close());

/**
 * Bob's branch of a root and some leaves below it, which is shared with Ann, an admin, and
 * published.
 */
interface Branch {
  readonly ann: ActingUser;
  readonly bob: ActingUser;
  readonly root: string;
  readonly token: string;
  readonly leaves: readonly string[];
  /** From each leaf to the root. */
  readonly links: readonly string[];
}

/** The graph of the branch's owner: little more than the branch, or many links besides. */
type OwnerGraph = 'small' | 'large';
const OWNER_GRAPHS: readonly OwnerGraph[] = ['small', 'large'];
/** Links outside the branch; in a large graph, more than four for each member of the branch. */
const LINKS_OUTSIDE = { small: 2, large: 60 };

async function plant(graph: OwnerGraph): Promise<Branch> {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const outside = (await worker.run(bob, 'node:add', { title: 'outside' })).nodes[0]?.after.id as string;
  const child = { event: 'node:add', payload: { target: outside } };
  await worker.run(bob, 'batch:run', { operations: Array.from({ length: LINKS_OUTSIDE[graph] }, () => child) });
  const root = (await worker.run(bob, 'node:add', { title: 'root' })).nodes[0]?.after.id as string;
  const [leaves, links]: string[][] = [[], []];
  for (let count = 0; count < LEAVES; count++) {
    const diff = await worker.run(bob, 'node:add', { title: `leaf ${count}`, target: root });
    leaves?.push(diff.nodes.find(({ op }) => op === 0)?.after.id as string);
    links?.push(diff.links[0]?.after.id as string);
  }
  await link(bob, leaves?.[0], outside);
  await worker.run(bob, 'node:access', { id: root, email: ann.email, level: Level.ADMIN });
  const token = (await worker.run(bob, 'node:publish', { id: root })).nodes[0]?.after.publicToken as string;
  return { ann, bob, root, token, leaves: leaves ?? [], links: links ?? [] };
}

const link = (user: ActingUser, source: string | undefined, target: string | undefined) =>
  worker.run(user, 'link:add', { source, target, type: 1 });

type Step = (branch: Branch) => Promise<unknown>;

/** The changes of the branch, in order. */
const STEPS: Readonly<Record<string, Step>> = {
  'the owner adds a link': ({ bob, leaves }) => link(bob, leaves[0], leaves[1]),
  'the grantee adds one': ({ ann, leaves }) => link(ann, leaves[1], leaves[2]),
  'the grantee keeps one to herself': async ({ ann, leaves }) => {
    const id = (await link(ann, leaves[2], leaves[3])).links[0]?.after.id;
    await worker.run(ann, 'link:update', { id, private: true });
  },
  'a link changes its type': ({ bob, links }) => worker.run(bob, 'link:update', { id: links[1], type: 0 }),
  'a link is trashed': ({ bob, links }) => worker.run(bob, 'link:trash', { id: links[0] }),
  'a node of the grantee comes below the root': async ({ ann, root }) => {
    const own = (await worker.run(ann, 'node:add', { title: 'own' })).nodes[0]?.after.id as string;
    await link(ann, own, root);
  },
  'a leaf is trashed': ({ bob, leaves }) => worker.run(bob, 'node:trash', { id: leaves[4] }),
  'a leaf leaves the branch': ({ bob, links }) => worker.run(bob, 'link:trash', { id: links[3] }),
  'the grant ends': ({ ann, bob, root }) => worker.run(bob, 'node:access:delete', { id: root, email: ann.email }),
};

type Walk = readonly [name: string, actor: ActingUser | null, event: string, payload: object];

function walksOf({ ann, bob, root, token }: Branch): Walk[] {
  return [
    ['graph of Ann', ann, 'graph:get', {}],
    ['branch for Ann', ann, 'branch:get', { root }],
    ['branch for Bob', bob, 'branch:get', { root }],
    ['publication for anybody', null, 'branch:get', { root: token }],
    ['publication for Ann', ann, 'branch:get', { root: token }],
  ];
}

/** An id before all links, so that the first page uses the list too. */
const FIRST_LINK = 'link:00000000-0000-7000-8000-000000000000';

/** All answers to a walk over the links in small pages. */
async function walk([, actor, event, payload]: Walk, linkIds: LinkIdsCache | undefined): Promise<unknown[]> {
  const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(), ...(linkIds && { linkIds }) };
  const answers: unknown[] = [];
  for (let after: unknown = FIRST_LINK; answers.length < 20; ) {
    const asked = { ...payload, limit: 4, after };
    const message = { event, payload: asked, actor, deadline: Date.now() + 60_000, traceId: 'test' };
    const reply = await answerWhole(message, environment);
    answers.push(reply);
    after = reply.ok ? (reply.body.next ?? null) : null;
    if (after === null) break;
  }
  return answers;
}

/**
 * The walks that differ with and without the lists after each step; with a last step, before and
 * after that step only.
 */
async function wrongAfter(graph: OwnerGraph, linkIds: LinkIdsCache, last?: string): Promise<string[]> {
  const branch = await plant(graph);
  const wrong: string[] = [];
  const look = async (step: string) => {
    for (const asked of walksOf(branch)) {
      const [listed, anew] = [await walk(asked, linkIds), await walk(asked, undefined)];
      if (JSON.stringify(listed) !== JSON.stringify(anew)) wrong.push(`${step}: ${asked[0]}`);
    }
  };
  for (const [step, act] of Object.entries<Step>({ planted: async () => undefined, ...STEPS })) {
    if (step === last) await look(`before ${step}`);
    await act(branch);
    if (last === undefined || step === last) await look(step);
    if (step === last) break;
  }
  return wrong;
}

test.each(OWNER_GRAPHS)(
  '[EVT3 ACL1 LNK9] a walk with cached lists returns the same as one without: a %s graph',
  async (graph) => {
    const linkIds = createLinkIdsCache(BYTES);
    expect(await wrongAfter(graph, linkIds)).toEqual([]);
    expect(linkIds.bytes()).toBeGreaterThan(0);
  },
);

test.each([
  ['small', { owners: 1, ids: 0 }, { owners: 2, ids: 0 }],
  ['large', { owners: 1, ids: 1 }, { owners: 2, ids: 2 }],
] as const)(
  '[EVT3] a walk lists owners or links once, and again after they have changed: a %s graph',
  async (graph, once, again) => {
    const { ann, bob, leaves } = await plant(graph);
    const listed = { owners: 0, ids: 0 };
    const cache = createLinkIdsCache(BYTES);
    const counting: LinkIdsCache = {
      ...cache,
      keeper(question) {
        const { owners, ids } = cache.keeper(question);
        const counted =
          <List>(kind: keyof typeof listed, list: () => Promise<List>) =>
          () => {
            listed[kind]++;
            return list();
          };
        return { owners: (list) => owners(counted('owners', list)), ids: (list) => ids(counted('ids', list)) };
      },
    };
    const asked: Walk = ['graph of Ann', ann, 'graph:get', {}];
    await walk(asked, counting);
    await walk(asked, counting);
    expect(listed).toEqual(once);
    await link(bob, leaves[0], leaves[1]);
    await walk(asked, counting);
    expect(listed).toEqual(again);
  },
);

test('[EVT3] the test detects lists that stay cached despite additions to the branch', async () => {
  const cache = createLinkIdsCache(BYTES);
  const step = 'the owner adds a link';
  const stale = { ...cache, keeper: (question: LinkIdsRequest) => cache.keeper({ ...question, access: null }) };
  expect(await wrongAfter('large', stale, step)).toContain(`${step}: graph of Ann`);
});

test('[EVT3] the test detects owners that stay cached despite additions to the branch', async () => {
  const cache = createLinkIdsCache(BYTES);
  const step = 'a node of the grantee comes below the root';
  const stale = { ...cache, keeper: (question: LinkIdsRequest) => cache.keeper({ ...question, access: null }) };
  expect(await wrongAfter('small', stale, step)).toContain(`${step}: branch for Ann`);
});
