// One batch as everything that is told of it is cut from: what it changed, and the world before and after it.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Change } from './change.ts';
import type { EndsByEntity } from './ends.ts';
import type { World } from './world.ts';

export interface Transition {
  readonly before: World;
  readonly after: World;
  readonly changes: readonly Change[];
  /** The first state and the last of each entity that it changed: by these it is judged who is told of its changes. */
  readonly ends: EndsByEntity;
  /** The batch's timestamp: ISO 8601 UTC with milliseconds. */
  readonly now: string;
  /** A user by id; it throws `NotLocked` where the group has not locked them. */
  readonly userOf: (id: string) => ActingUser;
}
