// The siege's stack: two gateways with limits on, the baseline users with shared branches, and the
// attackers' users and trees.
import { createForest } from '@taskgraph/bench/forest';
import { type BenchStack, startBenchStack } from '@taskgraph/bench/stack/bench-stack';
import { setupClient } from '@taskgraph/bench/stack/setup-client';
import { type BenchUser, createUsers } from '@taskgraph/bench/stack/users';
import { GUESTS_AN_OWNER, OWNERS, type Team } from './baseline-clients.ts';
import type { Plan, SiegeUser, TreeOwner } from './plan.ts';

const TOPOLOGY = { gateways: 2, workers: 2, jobs: 1, hooks: 1 };
/**
 * Enough time for commands on tens of thousands of nodes on a loaded machine, and the heap that
 * docs/operations.md recommends for them.
 */
const ENVIRONMENT = {
  TASKGRAPH_LIMITS: 'on',
  COMMAND_DEADLINE_MS: '60000',
  NEO4J_HEAP: '4g',
  // The receivers of the attackers are on this machine.
  HOOKS_ALLOWED_HOSTS: '127.0.0.1',
};
const LARGE_TREES = 2;
const LARGE_TREE_NODES = 20_000;
const LARGE_NODE_OWNERS = 3;
const LARGE_NODES = 900;
/**
 * Characters of three bytes: the longest permitted description is 60 KB, and the tags add 20 KB.
 */
const LARGE_CONTENT = {
  description: '字'.repeat(20_000),
  tags: Array.from({ length: 64 }, (_, tag) => `${tag}`.padEnd(100, '字')),
};
const PLAIN_USERS = 30;
/** One user for each heavy-work attack, because each uses up its user's limits. */
const HEAVY_USERS = 3;
/** Together they may have more messages in progress than the services send at once. */
const HOOK_USERS = 30;
const BRANCH_NODES = 100;

export interface SiegeStack {
  readonly stack: BenchStack['stack'];
  readonly teams: readonly Team[];
  readonly plan: Plan;
  /** The plan of the rehearsal, with heavy users of its own: it uses up their limits. */
  readonly rehearsalPlan: Plan;
  /** The number of leases that workers have lost. */
  leasesLost(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSiegeStack(note: (line: string) => void): Promise<SiegeStack> {
  const bench = await startBenchStack(TOPOLOGY, ENVIRONMENT);
  try {
    return {
      stack: bench.stack,
      ...(await createTeams(bench, note)),
      leasesLost: () => leasesLost(bench),
      stop: () => bench.stop(),
    };
  } catch (error) {
    await bench.stop();
    throw error;
  }
}

async function createTeams(
  bench: BenchStack,
  note: (line: string) => void,
): Promise<Pick<SiegeStack, 'teams' | 'plan' | 'rehearsalPlan'>> {
  const { access, urls } = bench;
  note('creating users and sharing their branches');
  const teams: Team[] = [];
  for (let index = 0; index < OWNERS; index++) teams.push(await createTeam(bench, index));
  note(
    `creating ${LARGE_TREES} trees of ${LARGE_TREE_NODES} nodes and ${LARGE_NODE_OWNERS} of ${LARGE_NODES} large ones`,
  );
  const largeTreeOwners: TreeOwner[] = [];
  for (const user of await createUsers(access, 'large-tree', LARGE_TREES)) {
    largeTreeOwners.push({ ...user, root: (await createForest(access, user.email, LARGE_TREE_NODES)).root });
  }
  const largeNodeOwners: TreeOwner[] = [];
  for (const user of await createUsers(access, 'large-nodes', LARGE_NODE_OWNERS)) {
    largeNodeOwners.push({ ...user, root: (await createForest(access, user.email, LARGE_NODES, LARGE_CONTENT)).root });
  }
  const grantees = await createUsers(access, 'grantee', OWNERS);
  const grantCycles = teams.map(({ owner, branch }, index) => ({
    owner,
    branch,
    grantee: grantees[index] as SiegeUser,
  }));
  const targetEmails = teams.flatMap(({ owner, guests }) => [owner, ...guests]).map(({ email }) => email);
  const plainUsers = await createUsers(access, 'user', PLAIN_USERS);
  const heavyUsers = await createUsers(access, 'heavy', HEAVY_USERS);
  const hookUsers = await createUsers(access, 'hook', HOOK_USERS);
  const users = { largeTreeOwners, largeNodeOwners, plainUsers, heavyUsers, hookUsers };
  const plan = { urls, grantCycles, ...users, targetEmails };
  const rehearsal = { heavyUsers: await createUsers(access, 'rehearsal', HEAVY_USERS) };
  return { teams, plan, rehearsalPlan: { ...plan, ...rehearsal } };
}

async function createTeam(bench: BenchStack, index: number): Promise<Team> {
  const [owner] = (await createUsers(bench.access, `owner-${index}`, 1)) as [BenchUser];
  const guests = await createUsers(bench.access, `guest-${index}`, GUESTS_AN_OWNER);
  const { projects } = await createForest(bench.access, owner.email, BRANCH_NODES);
  const { root: branch, leaves } = projects[0] as (typeof projects)[number];
  const { share } = setupClient(bench, owner.token);
  for (const { email } of guests) await share(branch, email);
  return { owner, guests, branch, leaves };
}

async function leasesLost({ admin }: BenchStack): Promise<number> {
  let lost = 0;
  for (const [name, url] of Object.entries(admin)) {
    if (!name.startsWith('worker-')) continue;
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const [, value] = /^taskgraph_lease_changes_total\{change="lost"\} (\d+)$/m.exec(metrics) ?? [];
    if (value === undefined) throw new Error(`${name} does not report its leases`);
    lost += Number(value);
  }
  return lost;
}
