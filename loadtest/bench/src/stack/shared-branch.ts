// A large branch that an owner shares with a guest, made by the service itself. The branch is
// shared while it is one node. Then trees that were written beside it are linked into it, each
// small enough for one command.
import { type Forest, plantForest } from '../forest.ts';
import type { BenchStack } from './bench-stack.ts';
import { makePeople, type Person } from './people.ts';
import { setUp } from './setting-up.ts';

/** A command may touch some tens of thousands of entities. */
const TREE_NODES = 20_000;

export interface SharedBranch {
  readonly root: string;
  readonly owner: Person;
  readonly guest: Person;
  readonly trees: readonly Forest[];
  /** The ids of the links that connect the trees to the branch. */
  readonly links: readonly string[];
}

export async function growSharedBranch(bench: BenchStack, name: string, size: number): Promise<SharedBranch> {
  const [owner, guest] = (await makePeople(bench.access, name, 2)) as [Person, Person];
  const { addNode, addLink, share } = setUp(bench, owner.token);
  const root = await addNode('branch');
  await share(root, guest.email);
  const trees: Forest[] = [];
  const links: string[] = [];
  for (let left = size; left > 0; left -= TREE_NODES) {
    const tree = await plantForest(bench.access, owner.email, Math.min(left, TREE_NODES));
    links.push(await addLink(tree.root, root));
    trees.push(tree);
  }
  return { root, owner, guest, trees, links };
}
