// Walks from a Blocked node back over blocking links, step by step, to the visible nodes that it
// waits for. Pure: the caller looks up the nodes of each step. Rules: WHY1, WHY3, BLK1.
import { Status } from '@taskgraph/wire/codes';
import { isOpenTo } from '../access/reader-access.ts';
import type { LinkState, Reader } from '../state/state.ts';

/** A node of the chain. */
export interface ChainNode {
  readonly id: string;
  readonly inTrash: boolean;
  readonly status: Status;
}

/** An active primary link from a node that is not Completed to one that is not independent. */
export type BlockingLink = Pick<LinkState, 'id' | 'source' | 'target' | 'private' | 'ownerId'>;

/** A direct blocker of the start, with its link. */
export interface Blocker {
  readonly id: string;
  readonly link: string;
  readonly status: Status;
}

export interface Chain {
  /** Sorted by link id. */
  readonly blockedBy: readonly Blocker[];
  /** Nearest first, then by id. */
  readonly workable: readonly string[];
  /** Whether the chain contains invisible nodes or links. */
  readonly hidden: boolean;
  /** Whether the walk ended at a bound. */
  readonly truncated: boolean;
}

export interface ChainWalk {
  /** The nodes of the next step, by id; empty when the walk has ended. */
  next(): readonly string[];
  /**
   * Takes the nodes of the step as stored now, without missing ones. Returns the visible Blocked
   * nodes, whose blocking links must be passed to `takeLinks` before the next step.
   */
  takeNodes(found: ReadonlyMap<string, ChainNode>): readonly string[];
  takeLinks(links: readonly BlockingLink[]): void;
  result(): Chain;
}

/** Most visible nodes that are visited (WHY1). */
const MAXIMUM_NODES = 20_000;
/**
 * Most invisible nodes and links that are visited. Those beyond count as invisible too, so that
 * their number is not revealed.
 */
const MAXIMUM_HIDDEN = 100_000;
/** Most visible links that are visited. */
const MAXIMUM_LINKS = 100_000;

/** Begins at a node that the reader sees. `sees` decides the visibility of each node. */
export function walkChain(start: ChainNode, reader: Pick<Reader, 'id'>, sees: (node: ChainNode) => boolean): ChainWalk {
  const reached = new Set([start.id]);
  const direct: BlockingLink[] = [];
  const statuses = new Map<string, Status>();
  const workable: string[] = [];
  const count = { seen: 0, hidden: 0, links: 0 };
  let truncated = false;
  let step: string[] = [start.id];
  let isOver = false;

  const finish = () => {
    isOver = true;
    step = [];
  };
  return {
    next: () => step,
    takeNodes(found) {
      const blocked: string[] = [];
      const nodes = step;
      step = [];
      for (const id of nodes) {
        const node = id === start.id ? start : found.get(id);
        // A node that was completed or trashed since its link was read no longer blocks.
        if (node === undefined || node.inTrash || node.status === Status.COMPLETED) continue;
        if (node !== start && !sees(node)) {
          count.hidden++;
          continue;
        }
        if (++count.seen > MAXIMUM_NODES) {
          truncated = true;
          finish();
          return [];
        }
        statuses.set(id, node.status);
        if (node.status === Status.BLOCKED) blocked.push(id);
        else if (node !== start) workable.push(id);
      }
      if (count.hidden > MAXIMUM_HIDDEN) finish();
      return isOver ? [] : blocked;
    },
    takeLinks(links) {
      for (const link of links) {
        if (isOver) return;
        if (!isOpenTo(link, reader)) {
          if (++count.hidden > MAXIMUM_HIDDEN) finish();
          continue;
        }
        if (++count.links > MAXIMUM_LINKS) {
          truncated = true;
          return finish();
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
      hidden: count.hidden > 0,
      truncated,
    }),
  };
}
