// Creates the links of a file, and the status of tasks that stand for projects, sections or
// milestones.
import type { NodeDraft } from './node-draft.ts';
import { BrokenFile, TRANSFER_BOUNDS, type TransferLink } from './transfer-graph.ts';

/** The report on a dependency of a task with subtasks. */
export const BLOCKED_PARENT = 'that the subtasks of a task wait for its dependencies too';

/** A primary link: the source blocks the target. */
export function blockingLink(source: string, target: string): TransferLink {
  return { source, target, type: 0, private: false };
}

/** A secondary link: it relates the two ends and blocks neither. */
export function relatedLink(source: string, target: string): TransferLink {
  return { source, target, type: 1, private: false };
}

/**
 * Adds a link of a file. Throws a BrokenFile if the file has too many, before they fill the memory.
 */
export function addLink(links: TransferLink[], link: TransferLink): void {
  if (links.length === TRANSFER_BOUNDS.links)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.links} links`);
  links.push(link);
}

/** A group is Completed if it has tasks and all of them are. */
export function groupStatus(tasks: readonly Pick<NodeDraft, 'status'>[]): 0 | 3 {
  return tasks.length > 0 && tasks.every(({ status }) => status === 3) ? 3 : 0;
}

/** Links of which each is written once, although both of its ends may name it. */
export interface UniqueLinks {
  readonly list: TransferLink[];
  /** Throws a BrokenFile if the file has too many. */
  add(link: TransferLink): void;
}

export function createLinks(): UniqueLinks {
  const list: TransferLink[] = [];
  const known = new Set<string>();
  let count = 0;
  return {
    list,
    add(link) {
      // Repeated links take time too.
      if (++count > TRANSFER_BOUNDS.links)
        throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.links} links`);
      const { source, target, type } = link;
      // A link that does not block may be written at both of its ends.
      const ends = type === 1 && target < source ? [target, source] : [source, target];
      const name = JSON.stringify([...ends, type]);
      if (known.has(name)) return;
      known.add(name);
      list.push(link);
    },
  };
}
