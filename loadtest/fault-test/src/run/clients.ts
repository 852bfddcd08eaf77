// The users of a run with their trees and queues, and the clients of each.

import { type Random, randomFrom } from '@taskgraph/testkit/random';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { ClaimAnswer, Command, Read, Version } from '../history/history.ts';
import { type Queue, runAgent } from './agents.ts';
import { type Caller, type Reply, replicaCaller, restCaller, sdkCaller, socketCaller } from './callers.ts';
import type { FaultStack } from './fault-stack.ts';
import { newTree, type Tree } from './forest.ts';
import type { HookUser } from './webhooks/hook-clients.ts';
import { callUntilAnswered, type RunUser, work } from './writer.ts';

const OWNERS = 5;
const CHILDREN = 5;
const SETUP_TRIES = 10;
/** The first users have a queue each, and all users have an agent for each queue. */
const QUEUES = 2;
const EDITOR = 2;

interface UserTrees {
  readonly runUser: RunUser;
  readonly shared: Tree;
  readonly own: Tree;
}

export interface RunClients {
  readonly runUsers: readonly RunUser[];
  readonly hookUsers: readonly HookUser[];
  readonly callers: readonly Caller[];
  /** Works until the signal, and then until all its calls are answered. */
  work(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface RunRecords {
  readonly seed: number;
  readonly commands: Command[];
  readonly claims: ClaimAnswer[];
  readonly openAttempts: Command[];
  readonly reads: Read[];
  /** The number of work queues. Default: 2. */
  readonly queues?: number;
  /** As in `WriterOptions`. */
  readonly triedOnce?: number;
  /** As in `CallerOptions`, for the same clients. */
  readonly tryMs?: number;
  /** Called with the reply of each attempt of the clients without a queue. */
  readonly onReply?: (reply: Reply, caller: Caller) => void;
}

/** The part of a stack that clients need. */
interface Served {
  readonly stack: { token(email: string): Promise<string> };
  readonly urls: FaultStack['urls'];
}

/**
 * Creates users, trees and queues, and connects the clients: for each user REST, a plain socket, the
 * SDK, a replica, and an agent of each queue.
 */
export async function connectClients(
  { stack, urls }: Served,
  { seed, commands, claims, openAttempts, reads, queues = QUEUES, triedOnce, tryMs, onReply }: RunRecords,
): Promise<RunClients> {
  const userTrees: UserTrees[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const runUser = await newUser({ stack, urls }, index);
    const { token } = runUser;
    const plant = (shared: boolean) =>
      createTree(restCaller({ name: 'setup', urls, token }), runUser, {
        name: `${shared ? 'shared' : 'own'}${index}`,
        shared,
        commands,
      });
    userTrees.push({ runUser, shared: await plant(true), own: await plant(false) });
  }
  const workers = await Promise.all(userTrees.map((each, index) => connectUser(each, index)));
  const agents = await connectAgents(
    userTrees.map(({ runUser }) => runUser),
    { urls, seed, commands, queues },
  );
  const callers = [...workers.flat(), ...agents].map(({ caller }) => caller);

  async function connectUser({ runUser, shared, own }: UserTrees, index: number) {
    const { token } = runUser;
    const neighbour = userTrees[(index + 1) % OWNERS] as UserTrees;
    const before = userTrees[(index + OWNERS - 1) % OWNERS] as UserTrees;
    const name = (kind: string) => `${kind}${index}`;
    const limit = definedFields({ tryMs });
    const made = await Promise.all([
      restCaller({ name: name('rest'), urls, token, ...limit }),
      socketCaller({ name: name('socket'), urls, token, ...limit }),
      sdkCaller({ name: name('sdk'), urls, token, ...limit }),
      replicaCaller({ name: name('replica'), urls, token, ...limit }),
    ]);
    const trees = [shared, shared, own, before.shared];
    return made.map((caller, kind) => ({
      caller: onReply === undefined ? caller : observed(caller, onReply),
      runUser,
      trees,
      own: shared,
      neighbour: kind % 2 === 0 ? neighbour.runUser : null,
      random: randomOf(seed, index * 4 + kind),
    }));
  }

  return {
    runUsers: userTrees.map(({ runUser }) => runUser),
    hookUsers: userTrees.map(({ runUser, shared }) => ({ runUser, root: shared.root })),
    callers,
    async work(stop) {
      await Promise.all([
        ...workers.flat().map((worker) => work({ ...worker, commands, reads, stop, ...definedFields({ triedOnce }) })),
        ...agents.map((agent) => runAgent({ ...agent, commands, claims, openAttempts, stop })),
      ]);
    },
    async close() {
      await Promise.all(callers.map((caller) => caller.close()));
    },
  };
}

/** A user named by its number. */
export async function newUser({ stack, urls }: Served, index: number): Promise<RunUser> {
  const email = `owner${index}@example.com`;
  const token = await stack.token(email);
  const answer = await fetch(`${urls[0]}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  const { user } = (await answer.json()) as { user: { id: string } };
  return { index, email, token, id: user.id };
}

function observed(caller: Caller, onReply: (reply: Reply, caller: Caller) => void): Caller {
  return {
    ...caller,
    async call(event, payload, key) {
      const reply = await caller.call(event, payload, key);
      onReply(reply, caller);
      return reply;
    },
  };
}

function randomOf(seed: number, index: number): Random {
  return randomFrom(seed * 1_000 + index);
}

/** For each queue REST, socket and SDK agents in turn. */
async function connectAgents(
  runUsers: readonly RunUser[],
  { urls, seed, commands, queues }: { urls: FaultStack['urls']; seed: number; commands: Command[]; queues: number },
) {
  const kinds = [restCaller, socketCaller, sdkCaller];
  const agents = [];
  for (const owner of runUsers.slice(0, queues)) {
    const queue = await createQueue(owner, { runUsers, urls, commands });
    for (const [index, runUser] of runUsers.entries()) {
      const place = owner.index * runUsers.length + index;
      const open = kinds[place % kinds.length] as (typeof kinds)[number];
      const caller = await open({ name: `agent${place}`, urls, token: runUser.token });
      const guest = runUser === owner ? (runUsers.at(-1) as RunUser) : null;
      agents.push({ caller, runUser, queue, guest, random: randomOf(seed, OWNERS * 4 + place) });
    }
  }
  return agents;
}

async function createQueue(
  owner: RunUser,
  { runUsers, urls, commands }: { runUsers: readonly RunUser[]; urls: FaultStack['urls']; commands: Command[] },
): Promise<Queue> {
  const caller = restCaller({ name: 'setup', urls, token: owner.token });
  const tree = await createTree(caller, owner, { name: `queue${owner.index}`, shared: true, commands });
  for (const { id, email, index } of runUsers) {
    if (id === owner.id) continue;
    const payload = { id: tree.root, email, level: EDITOR, branch: true };
    await prepare({ caller, runUser: owner, commands }, 'node:access', payload, `queue${owner.index}-user${index}`);
  }
  return { root: tree.root, nodes: [...tree.active.keys()] };
}

/** A command before the first fault, which must succeed. Returns the versions that it wrote. */
async function prepare(
  { caller, runUser, commands }: { caller: Caller; runUser: RunUser; commands: Command[] },
  event: string,
  payload: Readonly<Record<string, unknown>>,
  key: string,
): Promise<readonly Version[]> {
  const { made } = await callUntilAnswered({ caller, runUser }, { event, payload, key, tries: SETUP_TRIES });
  commands.push(made);
  if (made.outcome.kind !== 'done') throw new Error(`${event} failed: ${JSON.stringify(made.outcome)}`);
  return made.outcome.versions;
}

async function createTree(
  caller: Caller,
  runUser: RunUser,
  { name, shared, commands }: { name: string; shared: boolean; commands: Command[] },
): Promise<Tree> {
  const add = async (key: string, payload: object): Promise<Version> => {
    const [node] = await prepare({ caller, runUser, commands }, 'node:add', { title: key, ...payload }, key);
    return node as Version;
  };
  const tree = newTree(runUser.index, (await add(name, {})).id, shared);
  for (let child = 0; child < CHILDREN; child++) {
    const { id, version } = await add(`${name}-${child}`, { target: tree.root });
    tree.active.set(id, version);
  }
  return tree;
}
