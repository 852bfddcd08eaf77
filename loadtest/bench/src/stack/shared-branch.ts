// A large branch that an owner shares with a guest, made by the service itself: the branch is shared while it is one node, and trees that
// were planted beside it are then linked into it, none of them larger than a command may be.
import { ask, openRest } from '../clients/rest.ts';
import { type Forest, plantForest } from '../forest.ts';
import type { BenchStack } from './bench-stack.ts';
import { makePeople, type Person } from './people.ts';

/** A command may touch some tens of thousands of entities. */
const TREE_NODES = 20_000;

export interface SharedBranch {
  readonly root: string;
  readonly owner: Person;
  readonly guest: Person;
  readonly trees: readonly Forest[];
  /** The ids of the links by which the trees hang in the branch. */
  readonly links: readonly string[];
}

export async function growSharedBranch(bench: BenchStack, name: string, size: number): Promise<SharedBranch> {
  const [owner, guest] = (await makePeople(bench.access, name, 2)) as [Person, Person];
  const rest = openRest(bench.urls[0] as string, 1);
  const post = <T>(path: string, body: object) => ask<T>(rest, 'POST', path, owner.token, body);
  try {
    const { diff } = await post<{ diff: { nodes: { after: { id: string } }[] } }>('/api/node', { title: 'branch' });
    const root = diff.nodes[0]?.after.id as string;
    await post('/api/node/access', { id: root, email: guest.email, level: 3, branch: true });
    const trees: Forest[] = [];
    const links: string[] = [];
    for (let left = size; left > 0; left -= TREE_NODES) {
      const tree = await plantForest(bench.access, owner.email, Math.min(left, TREE_NODES));
      const link = await post<{ diff: { links: { after: { id: string } }[] } }>('/api/link', {
        source: tree.root,
        target: root,
      });
      trees.push(tree);
      links.push(link.diff.links[0]?.after.id as string);
    }
    return { root, owner, guest, trees, links };
  } finally {
    rest.close();
  }
}
