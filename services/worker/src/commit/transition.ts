// What decisions stand on and what one command comes to, before it is cut into slices and answers.

import type { UndoOf } from '@taskgraph/commands/define-command';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { NotLocked } from '@taskgraph/domain/state/read-set';
import type { World } from '@taskgraph/domain/state/world';
import type { LockedUser } from '@taskgraph/graph-store/commit/lock';
import type { Job } from './job.ts';

/** What a group is decided on: everything here was read under the locks. */
export interface Ground {
  readonly world: World;
  readonly users: ReadonlyMap<string, LockedUser>;
  /** Batches that are stored already under the group's keys. */
  readonly stored: ReadonlyMap<string, StoredBatch>;
  /** The group's timestamp. */
  readonly now: string;
  readonly newId: (slot: number) => string;
  readonly newToken: () => string;
}

/** One command with its changes, and the world before and after them. */
export interface Decided {
  readonly job: Job;
  readonly batchId: string;
  readonly before: World;
  readonly after: World;
  readonly changes: readonly Change[];
  readonly skipped: readonly string[];
  readonly undo: UndoOf | null;
}

/** A user whom the group has locked: a slice's number is taken, and names are read, under the lock alone. */
export function lockedUser(ground: Pick<Ground, 'users'>, id: string): LockedUser {
  const user = ground.users.get(id);
  if (user === undefined) throw new NotLocked([id]);
  return user;
}
