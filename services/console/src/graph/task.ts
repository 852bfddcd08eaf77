// The typed form of a replica's nodes and links.
import type { Entity, Node } from '@taskgraph/client';

/**
 * The fields of a node that the console shows. `access` is the reader's own level; `x` and `y` are the
 * centre of a pinned card, in the pixels of the picture at scale 1.
 */
export type Task = Pick<
  Node,
  | 'id'
  | 'title'
  | 'description'
  | 'status'
  | 'volume'
  | 'dueDate'
  | 'priority'
  | 'tags'
  | 'independent'
  | 'createdTime'
  | 'lastEditedTime'
> &
  Partial<
    Pick<
      Node,
      | 'assignee'
      | 'claimedBy'
      | 'claimUntil'
      | 'ownerUsername'
      | 'access'
      | 'completedTime'
      | 'x'
      | 'y'
      | 'pinned'
      | 'collapsed'
    >
  >;

export interface Link {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly type: number;
  readonly private?: boolean;
}

export const AVAILABLE = 0;
export const IN_PROGRESS = 1;
export const BLOCKED = 2;
export const COMPLETED = 3;
/** The statuses of tasks that are not completed. */
export const OPEN: readonly number[] = [AVAILABLE, IN_PROGRESS, BLOCKED];

/** The level of readers who may also share a task and remove links that lead away from it (LNK7). */
export const ADMIN = 1;
/** The level of readers who change nothing. */
const VIEWER = 3;

/** The types of links. */
export const PRIMARY = 0;
export const SECONDARY = 1;

/** The service and the replica check the fields. */
export function taskOf(node: Entity): Task {
  return node as unknown as Task;
}

export function linkOf(link: Entity): Link {
  return link as unknown as Link;
}

export function isPrimary({ type }: Link): boolean {
  return type === PRIMARY;
}

export function mayEdit({ access }: Task): boolean {
  return access === undefined || access < VIEWER;
}
