// The write workload of both sides: the same kinds of commands in the same proportions on trees of
// the same shape.

/** The commands of a writer. Both sides implement them; ids are opaque. */
export interface WriteTarget {
  /** Adds a root node for an owner (0..OWNERS - 1). */
  addRoot(owner: number): Promise<string>;
  addChild(owner: number, parent: string, title: string): Promise<string>;
  rename(owner: number, node: string, title: string): Promise<void>;
  setStatus(owner: number, node: string, status: 0 | 1 | 3): Promise<void>;
  addLink(owner: number, source: string, target: string): Promise<string>;
  trashLink(owner: number, link: string): Promise<void>;
}

/**
 * The owners of the written trees. They are few, so that commands share owners as a team's commands
 * do.
 */
export const OWNERS = 8;

/** A writer's own part of its owner's tree, in which all of its commands are valid. */
export interface Subtree {
  readonly owner: number;
  readonly parent: string;
  readonly leaves: string[];
  readonly links: string[];
  turn: number;
}

/** Creates a writer's subtree: a parent with two leaves below its owner's root. */
export async function createSubtree(target: WriteTarget, owner: number, root: string): Promise<Subtree> {
  const parent = await target.addChild(owner, root, 'corner');
  const leaves = [await target.addChild(owner, parent, 'a'), await target.addChild(owner, parent, 'b')];
  return { owner, parent, leaves, links: [], turn: 0 };
}

/**
 * One command of the cycle: of ten, three add a node, three rename, two set a status, one adds a
 * link and one trashes it.
 */
export async function writeOnce(target: WriteTarget, subtree: Subtree): Promise<void> {
  const { owner, parent, leaves, links } = subtree;
  const turn = subtree.turn++;
  const recent = leaves.at(-1) as string;
  switch (turn % 10) {
    case 0:
    case 3:
    case 6:
      leaves.push(await target.addChild(owner, parent, `leaf ${turn}`));
      return;
    case 1:
    case 4:
    case 7:
      return target.rename(owner, recent, `renamed ${turn}`);
    case 2:
      return target.setStatus(owner, recent, 3);
    case 5:
      return target.setStatus(owner, recent, 1);
    case 8:
      links.push(await target.addLink(owner, leaves.at(-2) as string, recent));
      return;
    default:
      return target.trashLink(owner, links.at(-1) as string);
  }
}
