// A large branch that an owner shares with a guest, made by the service itself. The branch is
// shared while it is one node. Then trees that were written beside it are linked into it, each
// small enough for one command.
import { createForest, type Forest } from '../forest.ts';
import type { BenchStack } from './bench-stack.ts';
import { setupClient } from './setup-client.ts';
import { type BenchUser, createUsers } from './users.ts';

/** A command may touch some tens of thousands of entities. */
const TREE_NODES = 20_000;

export interface SharedBranch {
  readonly root: string;
  readonly owner: BenchUser;
  readonly guest: BenchUser;
  readonly trees: readonly Forest[];
  /** The ids of the links that connect the trees to the branch. */
  readonly links: readonly string[];
}

export async function createSharedBranch(
  bench: BenchStack,
  name: string,
  size: number,
  titleOf?: (index: number) => string,
): Promise<SharedBranch> {
  const [owner, guest] = (await createUsers(bench.access, name, 2)) as [BenchUser, BenchUser];
  const { addNode, addLink, share } = setupClient(bench, owner.token);
  const root = await addNode('branch');
  await share(root, guest.email);
  const trees: Forest[] = [];
  const links: string[] = [];
  for (let left = size; left > 0; left -= TREE_NODES) {
    const tree = await createForest(bench.access, owner.email, Math.min(left, TREE_NODES), {}, titleOf);
    links.push(await addLink(tree.root, root));
    trees.push(tree);
  }
  return { root, owner, guest, trees, links };
}
