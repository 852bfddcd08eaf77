// The siege's stack: two gateways with limits on, the measured users with shared branches, and the
// attackers' users and trees.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plantForest } from '@taskgraph/bench/forest';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { type Stack, startStack } from '@taskgraph/launcher/stack';
import { GUESTS_AN_OWNER, OWNERS, type Party } from './honest.ts';
import type { Plan, Player, TreeOwner } from './plan.ts';
import { send } from './raw-http.ts';

const GATEWAYS = 2;
const WORKERS = 2;
const GIANTS = 2;
const GIANT_NODES = 20_000;
const HOARDERS = 3;
const HOARD_NODES = 900;
/**
 * Characters of three bytes: the longest permitted description is 60 KB, and the tags add 20 KB.
 */
const HOARD = {
  description: '字'.repeat(20_000),
  tags: Array.from({ length: 64 }, (_, tag) => `${tag}`.padEnd(100, '字')),
};
const NOBODIES = 30;
/** One user for each heavy-work attack, because each uses up its user's limits. */
const HEAVY = 3;
const BRANCH_NODES = 100;

export interface Stage {
  readonly stack: Stack;
  readonly parties: readonly Party[];
  readonly plan: Plan;
  /** The number of leases that workers have lost. */
  leasesLost(): Promise<number>;
  clear(): Promise<void>;
}

export async function setStage(note: (line: string) => void): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-siege-'));
  const port = await freePortRange(GATEWAYS);
  const adminPort = await freePortRange(WORKERS + GATEWAYS + 1);
  const stack = await startStack({
    ...{ dataDir, port, adminPort, workers: WORKERS, gateways: GATEWAYS, jobs: 1 },
    // Enough time for commands on tens of thousands of nodes on a loaded machine, and the heap that
    // docs/operations.md recommends for them.
    environment: { TASKGRAPH_LIMITS: 'on', COMMAND_DEADLINE_MS: '60000', NEO4J_HEAP: '4g' },
  });
  const clear = async () => {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { stack, clear, leasesLost: () => leasesLost(adminPort), ...(await people(stack, note)) };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function people(stack: Stack, note: (line: string) => void): Promise<Pick<Stage, 'parties' | 'plan'>> {
  const player = async (name: string): Promise<Player> => {
    const email = `${name}@example.com`;
    return { email, token: await stack.makeToken(email, name) };
  };
  const several = async (count: number, name: string): Promise<Player[]> => {
    const players: Player[] = [];
    for (let index = 0; index < count; index++) players.push(await player(`${name}${index}`));
    return players;
  };
  note('making honest users and sharing their branches');
  const parties: Party[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const owner = await player(`owner${index}`);
    const guests = await several(GUESTS_AN_OWNER, `guest${index}_`);
    const { projects } = await plantForest(accessTo(stack), owner.email, BRANCH_NODES);
    const { root: branch, leaves } = projects[0] as (typeof projects)[number];
    for (const { email } of guests) await share(stack, owner, branch, email);
    parties.push({ owner, guests, branch, leaves });
  }
  note(`planting ${GIANTS} trees of ${GIANT_NODES} nodes and ${HOARDERS} of ${HOARD_NODES} large ones`);
  const giants: TreeOwner[] = [];
  for (const giant of await several(GIANTS, 'giant')) giants.push(await plant(stack, giant, GIANT_NODES));
  const hoarders: TreeOwner[] = [];
  for (const hoarder of await several(HOARDERS, 'hoarder'))
    hoarders.push(await plant(stack, hoarder, HOARD_NODES, HOARD));
  const strangers = await several(OWNERS, 'stranger');
  const intrusions = parties.map(({ owner, branch }, index) => ({
    owner,
    branch,
    stranger: strangers[index] as Player,
  }));
  const victims = parties.flatMap(({ owner, guests }) => [owner, ...guests]).map(({ email }) => email);
  const nobodies = await several(NOBODIES, 'nobody');
  const heavy = await several(HEAVY, 'heavy');
  return { parties, plan: { urls: stack.urls, intrusions, giants, hoarders, nobodies, heavy, victims } };
}

/** Workers have the first admin ports. */
async function leasesLost(adminPort: number): Promise<number> {
  let lost = 0;
  for (let worker = 0; worker < WORKERS; worker++) {
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort + worker}/metrics`)).text();
    const [, value] = /^taskgraph_lease_changes_total\{change="lost"\} (\d+)$/m.exec(metrics) ?? [];
    if (value === undefined) throw new Error('a worker does not tell of its leases');
    lost += Number(value);
  }
  return lost;
}

function accessTo({ environment }: Stack) {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  return { url, user, password };
}

async function plant(stack: Stack, player: Player, size: number, content?: typeof HOARD): Promise<TreeOwner> {
  const { root } = await plantForest(accessTo(stack), player.email, size, content);
  return { ...player, root };
}

async function share(stack: Stack, { token }: Player, id: string, email: string): Promise<void> {
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
