// A replica's plan against a running stack: it equals the answer of graph:plan, and changes with
// each push.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Calls } from '../calls.ts';
import { connect, type TaskgraphClient } from '../connect.ts';
import type { Replica } from './contract.ts';
import { openReplica } from './open-replica.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const NODES = 40;
const stack = sharedStack();
const [url = ''] = stack.urls;
let ann: TaskgraphClient;
let bob: TaskgraphClient;
let replica: Replica;
beforeAll(async () => {
  const [one, other] = [await stack.token(emailOf('ann')), await stack.token(emailOf('bob'))];
  ann = await connect({ url, token: one });
  bob = await connect({ url, token: other });
  replica = await openReplica({ url, token: other });
});
afterAll(async () => {
  await replica?.close();
  for (const client of [ann, bob]) client?.close();
});

/** Tasks below a root. Each may depend on earlier ones. */
const tasks = fc.array(
  fc.record({
    volume: fc.nat({ max: 20 }),
    priority: fc.nat({ max: 3 }),
    independent: fc.constantFrom(false, false, true),
    dueDate: fc.constantFrom(null, '2026-02-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z'),
    before: fc.uniqueArray(fc.nat({ max: NODES - 1 }), { maxLength: 3 }),
  }),
  { minLength: NODES, maxLength: NODES },
);

async function plant(): Promise<{ root: string; ids: string[] }> {
  const [made] = fc.sample(tasks, { seed: 7, numRuns: 1 }) as [typeof tasks extends fc.Arbitrary<infer T> ? T : never];
  const { root, ids } = await ann
    .batch((batch) => {
      const top = batch.node.add({ title: 'root' });
      const all = made.map(({ before: _before, ...fields }) => batch.node.add({ ...fields, target: top.id }));
      for (const [at, { before }] of made.entries()) {
        for (const earlier of before.filter((each) => each < at)) {
          batch.link.add({ source: all[earlier]?.id as string, target: all[at]?.id as string, type: 0 });
        }
      }
      return { root: top, ids: all };
    })
    .then(({ made: names }) => ({ root: names.root.id, ids: names.ids.map(({ id }) => id) }));
  return { root, ids };
}

type Plan = Calls['graph:plan']['answer'];

/** All pages of graph:plan as one plan. */
async function planned(payload: Calls['graph:plan']['payload']): Promise<object> {
  const first = await bob.call('graph:plan', { ...payload, limit: 17 });
  const nodes = [...first.nodes];
  for (let page: Plan = first; page.next !== null; nodes.push(...page.nodes)) {
    page = await bob.call('graph:plan', { ...payload, limit: 17, after: page.next });
  }
  const { ok: _ok, trace_id: _trace, hasMore: _more, next: _next, ...plan } = first as Plan & Record<string, unknown>;
  return { ...plan, nodes };
}

test('[PLAN7] it equals the answer of graph:plan, for the whole graph and for a branch, and changes with a push', async () => {
  const { root, ids } = await plant();
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  await ann.node.update({ id: first, status: 3 });
  await ann.access.grant({ id: root, email: emailOf('bob'), level: 3 });
  await expect.poll(() => replica.snapshot().nodes.size, WAIT).toBe(NODES + 1);
  await expect.poll(() => replica.state, WAIT).toBe('live');

  const dated = { start: '2026-01-01T00:00:00.000Z', unit: 'day' } as const;
  const slip = { id: last, by: 9 };
  for (const options of [{}, { root }, { root, ...dated, slip }]) {
    expect(replica.plan(options)).toEqual(await planned(options));
  }

  const told: (number | null)[] = [];
  const before = replica.plan({ root }).makespan;
  const end = replica.watchPlan({ root }, (plan) => told.push(plan === null ? null : plan.makespan));
  const [longest = ''] = replica.plan({ root }).critical;
  const volume = replica.snapshot().nodes.get(longest)?.volume as number;
  await ann.node.update({ id: longest, volume: volume + 100 });
  await expect.poll(() => told.at(-1), WAIT).toBe(before + 100);
  expect(replica.plan({ root })).toEqual(await planned({ root }));
  await ann.node.trash({ id: root });
  await expect.poll(() => told.at(-1), WAIT).toBeNull();
  end();
});
