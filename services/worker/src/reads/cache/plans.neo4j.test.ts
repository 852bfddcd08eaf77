// Compares cached plans with plans that are computed for each page, after every kind of change.

import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import { createPlanCache, type PlanCache } from './plans.ts';

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
 * Bob's branch, which Ann and Cy edit. Cy has hidden the grant. `part` is a node below the root, and
 * `alone` is a root of Bob's that is not shared.
 */
interface Branch {
  readonly ann: ActingUser;
  readonly bob: ActingUser;
  readonly cy: ActingUser;
  readonly root: string;
  readonly part: string;
  readonly leaves: readonly string[];
  readonly alone: string;
}

const add = async (user: ActingUser, payload: object) => {
  const { nodes } = await worker.run(user, 'node:add', payload);
  return nodes.find(({ op }) => op === 0)?.after.id as string;
};

async function plant(): Promise<Branch> {
  const [ann, bob, cy] = [await makeUser(database), await makeUser(database), await makeUser(database)];
  const root = await add(bob, { title: 'root' });
  const part = await add(bob, { title: 'part', target: root, volume: 2 });
  const leaves: string[] = [];
  for (let count = 1; count <= LEAVES; count++) leaves.push(await add(bob, { target: part, volume: count }));
  for (const { email } of [ann, cy]) await worker.run(bob, 'node:access', { id: root, email, level: Level.EDITOR });
  await worker.run(cy, 'node:showing', { id: root, showing: false });
  const alone = await add(bob, { title: 'alone', volume: 1 });
  await add(bob, { target: alone, volume: 4 });
  return { ann, bob, cy, root, part, leaves, alone };
}

const set = (user: ActingUser, id: string | undefined, fields: object) =>
  worker.run(user, 'node:update', { id, ...fields });

type Step = (branch: Branch) => Promise<unknown>;

/** The changes of the branch, in order. */
const STEPS: Readonly<Record<string, Step>> = {
  'a leaf takes longer': ({ bob, leaves }) => set(bob, leaves[0], { volume: 9 }),
  'the grantee makes one due': ({ ann, leaves }) => set(ann, leaves[1], { dueDate: '2026-01-02T00:00:00.000Z' }),
  'one is completed': async ({ ann, leaves }) => {
    await set(ann, leaves[2], { status: 3 });
  },
  'one waits for another': ({ bob, leaves }) =>
    worker.run(bob, 'link:add', { source: leaves[0], target: leaves[1], type: 0 }),
  'one of the grantee’s comes below the part': ({ ann, part }) => add(ann, { target: part, volume: 30 }),
  'the part waits for a node that only the grantee sees': async ({ ann, part }) => {
    const own = await add(ann, { volume: 100 });
    const { links } = await worker.run(ann, 'link:add', { source: own, target: part, type: 0 });
    await worker.run(ann, 'link:update', { id: links[0]?.after.id, private: true });
  },
  'a leaf is trashed': ({ bob, leaves }) => worker.run(bob, 'node:trash', { id: leaves[4] }),
  'the lone one grows': ({ bob, alone }) => add(bob, { target: alone, volume: 50 }),
  'the grant ends': ({ ann, bob, root }) => worker.run(bob, 'node:access:delete', { id: root, email: ann.email }),
};

type Question = readonly [name: string, actor: ActingUser, payload: object];

function questionsOf({ ann, bob, cy, root, part, leaves, alone }: Branch): Question[] {
  const dated = { start: '2026-01-01T00:00:00.000Z', unit: 'day' };
  return [
    ['all of Bob’s', bob, {}],
    ['all of Ann’s', ann, {}],
    ['the branch for Bob', bob, { root, ...dated }],
    ['the branch for Ann', ann, { root, ...dated }],
    ['the branch for Cy', cy, { root }],
    ['the part for Bob', bob, { root: part, slip: { id: leaves[0], by: 1 } }],
    ['the part for Ann', ann, { root: part }],
    ['the part for Cy', cy, { root: part }],
    ['the lone root', bob, { root: alone }],
  ];
}

/** All pages of a plan. */
async function planned([, actor, payload]: Question, plans: PlanCache | undefined): Promise<unknown[]> {
  const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(), ...(plans && { plans }) };
  const answers: unknown[] = [];
  for (let after: unknown; answers.length < 20; ) {
    const asked = { ...payload, limit: 3, ...definedFields({ after }) };
    const message = { event: 'graph:plan', payload: asked, actor, deadline: Date.now() + 60_000, traceId: 'test' };
    const reply = await answerWhole(message, environment);
    answers.push(reply);
    after = reply.ok ? (reply.body.next ?? null) : null;
    if (after === null) break;
  }
  return answers;
}

/**
 * The plans that differ from uncached ones after each step; with a last step, before and after that
 * step only.
 */
async function wrongAfter(plans: PlanCache, last?: string): Promise<string[]> {
  const branch = await plant();
  const wrong: string[] = [];
  const look = async (step: string) => {
    for (const asked of questionsOf(branch)) {
      const [cached, computed] = [await planned(asked, plans), await planned(asked, undefined)];
      if (JSON.stringify(cached) !== JSON.stringify(computed)) wrong.push(`${step}: ${asked[0]}`);
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

test('[PLAN1 PLAN2 EVT3] a cached plan equals a plan that is computed for each page', async () => {
  expect(await wrongAfter(createPlanCache(BYTES))).toEqual([]);
});

test('[PLAN6] a plan is computed once for all of its pages, and again after a change', async () => {
  const { ann, bob, cy, root, leaves } = await plant();
  let made = 0;
  const cache = createPlanCache(BYTES);
  const counting: PlanCache = {
    ...cache,
    get: (question, make) =>
      cache.get(question, () => {
        made++;
        return make();
      }),
  };
  const asked: Question = ['the branch for Ann', ann, { root }];
  expect(await planned(asked, counting)).toHaveLength(3);
  expect([made, cache.bytes() > 0]).toEqual([1, true]);
  await set(bob, leaves[0], { volume: 7 });
  await planned(asked, counting);
  expect(made).toBe(2);
  // The numbers of a hidden branch are unknown, so its plan is not cached.
  made = 0;
  expect(await planned(['the branch for Cy', cy, { root }], counting)).toHaveLength(3);
  expect(made).toBe(3);
});

test('[PLAN1] the test detects plans that stay cached despite changes', async () => {
  for (const [step, question] of [
    ['a leaf takes longer', 'the branch for Bob'],
    ['the lone one grows', 'the lone root'],
  ] as const) {
    const cache = createPlanCache(BYTES);
    const spoilt: PlanCache = { ...cache, get: (asked, make) => cache.get({ ...asked, access: null }, make) };
    expect(await wrongAfter(spoilt, step)).toContain(`${step}: ${question}`);
  }
});
