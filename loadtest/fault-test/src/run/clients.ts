// The users of a run with their trees, and the clients of each.

import { type Random, randomFrom } from '@taskgraph/testkit/random';
import type { Command, Read } from '../history/history.ts';
import { type Caller, replicaCaller, restCaller, sdkCaller, socketCaller } from './callers.ts';
import type { FaultStack } from './fault-stack.ts';
import { newTree, type Tree } from './forest.ts';
import type { HookUser } from './webhooks/hook-clients.ts';
import { callUntilAnswered, type RunUser, work } from './writer.ts';

const OWNERS = 5;
const CHILDREN = 5;
const SETUP_TRIES = 10;

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

/**
 * Creates users and trees and connects 20 clients: for each user REST, a plain socket, the SDK and
 * a replica.
 */
export async function connectClients(
  { stack, urls }: FaultStack,
  { seed, commands, reads }: { seed: number; commands: Command[]; reads: Read[] },
): Promise<RunClients> {
  const userTrees: UserTrees[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const email = `owner${index}@example.com`;
    const token = await stack.token(email);
    const answer = await fetch(`${urls[0]}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    const { user } = (await answer.json()) as { user: { id: string } };
    const runUser = { index, email, token, id: user.id };
    const plant = (shared: boolean) =>
      createTree(restCaller({ name: 'setup', urls, token }), runUser, { shared, commands });
    userTrees.push({ runUser, shared: await plant(true), own: await plant(false) });
  }
  const workers = await Promise.all(userTrees.map((each, index) => connectUser(each, index)));
  const callers = workers.flat().map(({ caller }) => caller);

  async function connectUser({ runUser, shared, own }: UserTrees, index: number) {
    const { token } = runUser;
    const neighbour = userTrees[(index + 1) % OWNERS] as UserTrees;
    const before = userTrees[(index + OWNERS - 1) % OWNERS] as UserTrees;
    const name = (kind: string) => `${kind}${index}`;
    const made = await Promise.all([
      restCaller({ name: name('rest'), urls, token }),
      socketCaller({ name: name('socket'), urls, token }),
      sdkCaller({ name: name('sdk'), urls, token }),
      replicaCaller({ name: name('replica'), urls, token }),
    ]);
    const trees = [shared, shared, own, before.shared];
    return made.map((caller, kind) => ({
      caller,
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
      await Promise.all(workers.flat().map((worker) => work({ ...worker, commands, reads, stop })));
    },
    async close() {
      await Promise.all(callers.map((caller) => caller.close()));
    },
  };
}

function randomOf(seed: number, index: number): Random {
  return randomFrom(seed * 1_000 + index);
}

async function createTree(
  caller: Caller,
  runUser: RunUser,
  { shared, commands }: { shared: boolean; commands: Command[] },
): Promise<Tree> {
  const add = async (key: string, payload: object): Promise<{ id: string; version: number }> => {
    const request = { event: 'node:add', payload: { title: key, ...payload }, key, tries: SETUP_TRIES };
    const { made } = await callUntilAnswered({ caller, runUser }, request);
    commands.push(made);
    if (made.outcome.kind !== 'done') throw new Error(`no tree could be created: ${JSON.stringify(made.outcome)}`);
    return made.outcome.versions[0] as { id: string; version: number };
  };
  const name = `${shared ? 'shared' : 'own'}${runUser.index}`;
  const tree = newTree(runUser.index, (await add(name, {})).id, shared);
  for (let child = 0; child < CHILDREN; child++) {
    const { id, version } = await add(`${name}-${child}`, { target: tree.root });
    tree.active.set(id, version);
  }
  return tree;
}
