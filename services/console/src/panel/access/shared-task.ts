// The fields of a task that tell how it is shared.
import type { Entity, Node } from '@taskgraph/client';
import { ADMIN, type Task } from '../../graph/task.ts';

/** `shareRoots`: the shared or public tasks to whose branches it belongs, itself included. */
export type SharedTask = Task &
  Partial<Pick<Node, 'ownerEmail' | 'publicToken' | 'publicDue' | 'publicBranch' | 'shareRoots'>>;

export function sharedTaskOf(node: Entity | Task): SharedTask {
  return node as unknown as SharedTask;
}

/** Whether its reader may share it. Without a level, the service decides. */
export function mayShare({ access }: Task): boolean {
  return access === undefined || access <= ADMIN;
}

export function isPublic({ publicToken }: SharedTask): boolean {
  return publicToken !== undefined && publicToken !== null;
}
