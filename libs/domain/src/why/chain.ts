// The nodes that a Blocked node waits for, as far as one reader sees: walked from the node against blocking links, a step at a time. Rules: WHY1, WHY3, BLK1.
// Pure: what stands at the next step is looked up by the caller, and judged here.
import { Status } from '@taskgraph/wire/codes';
import { isOpenTo } from '../access/access.ts';
import type { LinkState, Reader } from '../state/state.ts';

/** A node of the chain, as it is now. */
export interface ChainNode {
  readonly id: string;
  readonly inTrash: boolean;
  readonly status: Status;
}

/** An active primary link into a node that is not independent, from one that is not completed. */
export type BlockingLink = Pick<LinkState, 'id' | 'source' | 'target' | 'private' | 'ownerId'>;

/** A blocker of the node that is asked about, with the link by which it blocks. */
export interface Blocker {
  readonly id: string;
  readonly link: string;
  readonly status: Status;
}

export interface Chain {
  /** By the ids of their links. */
  readonly blockedBy: readonly Blocker[];
  /** Nearest first, then by id. */
  readonly workable: readonly string[];
  /** Whether the chain goes through what the reader can't see. */
  readonly hidden: boolean;
  /** Whether the walk ended at its bound. */
  readonly truncated: boolean;
}

export interface ChainWalk {
  /** The nodes of the next step, by id; none once the walk is over. */
  next(): readonly string[];
  /**
   * Takes them as they are now, those that don't exist any more left out, and gives those that go on: Blocked, and in the reader's sight. The links
   * that block these are to be taken before the next step.
   */
  takeNodes(found: ReadonlyMap<string, ChainNode>): readonly string[];
  takeLinks(links: readonly BlockingLink[]): void;
  result(): Chain;
}

/** Most nodes in sight that are walked over (WHY1). */
const MAXIMUM_NODES = 20_000;
/** Most nodes and links out of sight that are come upon; all past them count as out of sight too, so that their number is told to nobody. */
const MAXIMUM_UNSEEN = 100_000;
/** Most links in sight that are walked over. */
const MAXIMUM_LINKS = 100_000;

/** Begins at a node that the reader sees. `sees` judges a node that was taken. */
export function walkChain(start: ChainNode, reader: Pick<Reader, 'id'>, sees: (node: ChainNode) => boolean): ChainWalk {
  const reached = new Set([start.id]);
  const direct: BlockingLink[] = [];
  const statuses = new Map<string, Status>();
  const workable: string[] = [];
  const count = { seen: 0, unseen: 0, links: 0 };
  let truncated = false;
  let step: string[] = [start.id];
  let isOver = false;

  const end = () => {
    isOver = true;
    step = [];
  };
  return {
    next: () => step,
    takeNodes(found) {
      const going: string[] = [];
      const taken = step;
      step = [];
      for (const id of taken) {
        const node = id === start.id ? start : found.get(id);
        // A node that was completed or trashed since its link was read blocks nothing any more.
        if (node === undefined || node.inTrash || node.status === Status.COMPLETED) continue;
        if (node !== start && !sees(node)) {
          count.unseen++;
          continue;
        }
        if (++count.seen > MAXIMUM_NODES) {
          truncated = true;
          end();
          return [];
        }
        statuses.set(id, node.status);
        if (node.status === Status.BLOCKED) going.push(id);
        else if (node !== start) workable.push(id);
      }
      if (count.unseen > MAXIMUM_UNSEEN) end();
      return isOver ? [] : going;
    },
    takeLinks(links) {
      for (const link of links) {
        if (isOver) return;
        if (!isOpenTo(link, reader)) {
          if (++count.unseen > MAXIMUM_UNSEEN) end();
          continue;
        }
        if (++count.links > MAXIMUM_LINKS) {
          truncated = true;
          return end();
        }
        if (count.seen === 1) direct.push(link);
        if (reached.has(link.source)) continue;
        reached.add(link.source);
        step.push(link.source);
      }
      step.sort();
    },
    result: () => ({
      blockedBy: direct
        .flatMap(({ id, source }) => {
          const status = statuses.get(source);
          return status === undefined ? [] : [{ id: source, link: id, status }];
        })
        .sort((one, other) => (one.link < other.link ? -1 : 1)),
      workable,
      hidden: count.unseen > 0,
      truncated,
    }),
  };
}
