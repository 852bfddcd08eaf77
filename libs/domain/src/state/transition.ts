// A decided batch: its changes, and the world before and after it. Answers, slices and history
// derive from it.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Change } from './change.ts';
import type { NetChangesByEntity } from './net-change.ts';
import type { World } from './world.ts';

export interface Transition {
  readonly before: World;
  readonly after: World;
  readonly changes: readonly Change[];
  /** The net change of each entity. It decides who sees the batch's changes. */
  readonly net: NetChangesByEntity;
  /** The batch's timestamp: ISO 8601 UTC with milliseconds. */
  readonly now: string;
  /** A user by id; throws `NotLocked` if the group has not locked the user. */
  readonly userOf: (id: string) => ActingUser;
}
