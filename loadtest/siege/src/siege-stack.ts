// The siege's stack: two gateways with limits on, the baseline users with shared branches, and the
// attackers' users and trees.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createForest } from '@taskgraph/bench/forest';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { type Stack, startStack } from '@taskgraph/launcher/stack';
import { GUESTS_AN_OWNER, OWNERS, type Team } from './baseline-clients.ts';
import type { Plan, SiegeUser, TreeOwner } from './plan.ts';
import { send } from './raw-http.ts';

const GATEWAYS = 2;
const WORKERS = 2;
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
const BRANCH_NODES = 100;

export interface SiegeStack {
  readonly stack: Stack;
  readonly teams: readonly Team[];
  readonly plan: Plan;
  /** The number of leases that workers have lost. */
  leasesLost(): Promise<number>;
  stop(): Promise<void>;
}

export async function startSiegeStack(note: (line: string) => void): Promise<SiegeStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-siege-'));
  const port = await freePortRange(GATEWAYS);
  const adminPort = await freePortRange(WORKERS + GATEWAYS + 1);
  const stack = await startStack({
    ...{ dataDir, port, adminPort, workers: WORKERS, gateways: GATEWAYS, jobs: 1 },
    // Enough time for commands on tens of thousands of nodes on a loaded machine, and the heap that
    // docs/operations.md recommends for them.
    environment: { TASKGRAPH_LIMITS: 'on', COMMAND_DEADLINE_MS: '60000', NEO4J_HEAP: '4g' },
  });
  const stop = async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { stack, stop, leasesLost: () => leasesLost(adminPort), ...(await createUsers(stack, note)) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createUsers(stack: Stack, note: (line: string) => void): Promise<Pick<SiegeStack, 'teams' | 'plan'>> {
  const user = async (name: string): Promise<SiegeUser> => {
    const email = `${name}@example.com`;
    return { email, token: await stack.makeToken(email, name) };
  };
  const several = async (count: number, name: string): Promise<SiegeUser[]> => {
    const users: SiegeUser[] = [];
    for (let index = 0; index < count; index++) users.push(await user(`${name}${index}`));
    return users;
  };
  note('creating users and sharing their branches');
  const teams: Team[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const owner = await user(`owner${index}`);
    const guests = await several(GUESTS_AN_OWNER, `guest${index}_`);
    const { projects } = await createForest(accessTo(stack), owner.email, BRANCH_NODES);
    const { root: branch, leaves } = projects[0] as (typeof projects)[number];
    for (const { email } of guests) await share(stack, owner, branch, email);
    teams.push({ owner, guests, branch, leaves });
  }
  note(
    `creating ${LARGE_TREES} trees of ${LARGE_TREE_NODES} nodes and ${LARGE_NODE_OWNERS} of ${LARGE_NODES} large ones`,
  );
  const largeTreeOwners: TreeOwner[] = [];
  for (const treeOwner of await several(LARGE_TREES, 'largetree'))
    largeTreeOwners.push(await createTree(stack, treeOwner, LARGE_TREE_NODES));
  const largeNodeOwners: TreeOwner[] = [];
  for (const nodeOwner of await several(LARGE_NODE_OWNERS, 'largenodes'))
    largeNodeOwners.push(await createTree(stack, nodeOwner, LARGE_NODES, LARGE_CONTENT));
  const grantees = await several(OWNERS, 'grantee');
  const grantCycles = teams.map(({ owner, branch }, index) => ({
    owner,
    branch,
    grantee: grantees[index] as SiegeUser,
  }));
  const targetEmails = teams.flatMap(({ owner, guests }) => [owner, ...guests]).map(({ email }) => email);
  const plainUsers = await several(PLAIN_USERS, 'user');
  const heavyUsers = await several(HEAVY_USERS, 'heavy');
  return {
    teams,
    plan: { urls: stack.urls, grantCycles, largeTreeOwners, largeNodeOwners, plainUsers, heavyUsers, targetEmails },
  };
}

/** Workers have the first admin ports. */
async function leasesLost(adminPort: number): Promise<number> {
  let lost = 0;
  for (let worker = 0; worker < WORKERS; worker++) {
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort + worker}/metrics`)).text();
    const [, value] = /^taskgraph_lease_changes_total\{change="lost"\} (\d+)$/m.exec(metrics) ?? [];
    if (value === undefined) throw new Error('a worker does not report its leases');
    lost += Number(value);
  }
  return lost;
}

function accessTo({ environment }: Stack) {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  return { url, user, password };
}

async function createTree(
  stack: Stack,
  user: SiegeUser,
  size: number,
  content?: typeof LARGE_CONTENT,
): Promise<TreeOwner> {
  const { root } = await createForest(accessTo(stack), user.email, size, content);
  return { ...user, root };
}

async function share(stack: Stack, { token }: SiegeUser, id: string, email: string): Promise<void> {
  const [url = ''] = stack.urls;
  const body = { id, email, level: 3, branch: true };
  const { status, beginning } = await send({
    url,
    from: '127.0.0.1',
    method: 'POST',
    path: '/api/node/access',
    token,
    body,
  });
  if (status !== 200) throw new Error(`a branch could not be shared: ${status} ${beginning}`);
}
