// The users of a run with their trees, and the clients of each.
import type { Command, Read } from '../history/history.ts';
import { type Caller, replicaCaller, restCaller, sdkCaller, socketCaller } from './callers.ts';
import { newTree, type Tree } from './forest.ts';
import { type Random, randomFrom } from './random.ts';
import type { Stage } from './stage.ts';
import { carryOut, type Person, work } from './writer.ts';

const OWNERS = 5;
const CHILDREN = 5;
const SETUP_TRIES = 10;

interface Household {
  readonly person: Person;
  readonly shared: Tree;
  readonly own: Tree;
}

export interface Crew {
  readonly people: readonly Person[];
  readonly callers: readonly Caller[];
  /** Works until the signal, and then until all its calls are answered. */
  work(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates users and trees and connects 20 clients: for each user REST, a plain socket, the SDK and
 * a replica.
 */
export async function gather(
  { stack, urls }: Stage,
  { seed, commands, reads }: { seed: number; commands: Command[]; reads: Read[] },
): Promise<Crew> {
  const households: Household[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const email = `owner${index}@example.com`;
    const token = await stack.token(email);
    const answer = await fetch(`${urls[0]}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    const { user } = (await answer.json()) as { user: { id: string } };
    const person = { index, email, token, id: user.id };
    const plant = (shared: boolean) =>
      plantTree(restCaller({ name: 'setup', urls, token }), person, { shared, commands });
    households.push({ person, shared: await plant(true), own: await plant(false) });
  }
  const workers = await Promise.all(households.map((household, index) => employ(household, index)));
  const callers = workers.flat().map(({ caller }) => caller);

  async function employ({ person, shared, own }: Household, index: number) {
    const { token } = person;
    const neighbour = households[(index + 1) % OWNERS] as Household;
    const before = households[(index + OWNERS - 1) % OWNERS] as Household;
    const name = (kind: string) => `${kind}${index}`;
    const made = await Promise.all([
      restCaller({ name: name('rest'), urls, token }),
      socketCaller({ name: name('socket'), urls, token }),
      sdkCaller({ name: name('sdk'), urls, token }),
      replicaCaller({ name: name('replica'), urls, token }),
    ]);
    const trees = [shared, shared, own, before.shared];
    return made.map((caller, kind) => ({
      ...{ caller, person, trees, own: shared },
      neighbour: kind % 2 === 0 ? neighbour.person : null,
      random: randomOf(seed, index * 4 + kind),
    }));
  }

  return {
    people: households.map(({ person }) => person),
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

async function plantTree(
  caller: Caller,
  person: Person,
  { shared, commands }: { shared: boolean; commands: Command[] },
): Promise<Tree> {
  const add = async (key: string, payload: object): Promise<{ id: string; version: number }> => {
    const errand = { event: 'node:add', payload: { title: key, ...payload }, key, tries: SETUP_TRIES };
    const { made } = await carryOut({ caller, person }, errand);
    commands.push(made);
    if (made.outcome.kind !== 'done') throw new Error(`no tree could be planted: ${JSON.stringify(made.outcome)}`);
    return made.outcome.versions[0] as { id: string; version: number };
  };
  const name = `${shared ? 'shared' : 'own'}${person.index}`;
  const tree = newTree(person.index, (await add(name, {})).id, shared);
  for (let child = 0; child < CHILDREN; child++) {
    const { id, version } = await add(`${name}-${child}`, { target: tree.root });
    tree.active.set(id, version);
  }
  return tree;
}
