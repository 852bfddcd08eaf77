// Scenario `plan`: the plan of a branch of 20,000 nodes, the largest permitted, against a page of
// 1,000 of its owner's graph. A node of the branch changes before each read, so that neither answer
// is cached. Both run in turns.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { withDirectWrites } from '../direct-writes.ts';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createSharedBranch, type SharedBranch } from '../stack/shared-branch.ts';

/** The branch's root and the folders add some more nodes. */
const NODES = 19_700;
const QUICK_NODES = 5_000;
const PAGE = 1_000;
const ROUNDS_A_TURN = 5;

const SET_VOLUMES = 'MATCH (n:Node {ownerId: $ownerId}) SET n.volume = 1 + toInteger(rand() * 9)';

export const plan: Measurement = { stack: {}, run };

type Reader = 'owner' | 'guest';
const READERS = ['owner', 'guest'] as const;

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const size = pace.quick ? QUICK_NODES : NODES;
  note(`growing a branch of ${size.toLocaleString('en')} nodes`);
  const branch = await createSharedBranch(stack, 'plan', size);
  await withDirectWrites(stack.access, (runStatement) => runStatement(SET_VOLUMES, { ownerId: branch.owner.id }));
  const clients = await openClients(stack, branch);
  try {
    note('warming up');
    const sides = {
      page: () => turn(() => timed(clients, branch, page)),
      owner: () => turn(() => timed(clients, branch, planFor('owner', branch))),
      guest: () => turn(() => timed(clients, branch, planFor('guest', branch))),
    };
    const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
    const times: Record<keyof typeof sides | 'next', number[]> = { page: [], owner: [], guest: [], next: [] };
    for (let at = 1; at <= pace.turns; at++) {
      for (const side of ['page', ...READERS] as const) times[side].push(await sides[side]());
      times.next.push(await turn(() => nextPage(clients, branch)));
      note(`turn ${at} of ${pace.turns}`);
    }
    return ([...READERS, 'next'] as const).map((side) =>
      resultOf({
        scenario: `plan ${side}`,
        ours: median(times[side]),
        baseline: median(times.page),
        unit: 'ms p50',
        warmUp: warmed,
        notes: [`a branch of ${size.toLocaleString('en')} nodes; baseline: a page of ${PAGE} as owner`],
      }),
    );
  } finally {
    for (const reader of READERS) clients[reader].close();
  }
}

type Clients = Readonly<Record<Reader, TaskgraphClient>>;

async function openClients(stack: BenchStack, { owner, guest }: SharedBranch): Promise<Clients> {
  const open = (token: string) => connect({ url: stack.urls[0] as string, token });
  return { owner: await open(owner.token), guest: await open(guest.token) };
}

async function turn(round: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < ROUNDS_A_TURN; at++) times.push(await round());
  return median(times);
}

async function timed(clients: Clients, branch: SharedBranch, act: (clients: Clients) => Promise<unknown>) {
  const [{ projects }] = branch.trees as [SharedBranch['trees'][number]];
  const { leaves } = projects[Math.floor(Math.random() * projects.length)] as (typeof projects)[number];
  await clients.owner.node.update({ id: leaves[0] as string, volume: 1 + Math.floor(Math.random() * 1_000) });
  const startedAt = performance.now();
  await act(clients);
  return performance.now() - startedAt;
}

/** The second page of a plan that has not changed since the first. */
async function nextPage({ owner }: Clients, { root }: SharedBranch): Promise<number> {
  const { next } = (await owner.call('graph:plan', { root, limit: PAGE })) as { next: string };
  const startedAt = performance.now();
  await owner.call('graph:plan', { root, limit: PAGE, after: next });
  return performance.now() - startedAt;
}

function page({ owner }: Clients): Promise<unknown> {
  return owner.call('graph:get', { limit: PAGE });
}

function planFor(reader: Reader, { root }: SharedBranch) {
  return (clients: Clients) => clients[reader].call('graph:plan', { root, limit: PAGE });
}
