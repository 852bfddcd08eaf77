// The ground of decisions, and how one command is decided: its changes, and the world before and after them.

import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { netChangesByEntity } from '@taskgraph/domain/state/net-change';
import { NotLocked } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import type { Transition } from '@taskgraph/domain/state/transition';
import type { Work } from '@taskgraph/domain/state/work';
import type { World } from '@taskgraph/domain/state/world';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import type { Decision, DecisionContext, RevertReference } from '../define-command.ts';
import type { Command } from './command.ts';
import { createSteps, type StepSequence } from './steps.ts';
import type { GroupBounds } from './work-bounds.ts';

/** The state that a group is decided on: everything here was read under the locks. */
export interface GroupContext {
  readonly world: World;
  readonly users: ReadonlyMap<string, LockedUser>;
  /** Batches that are stored already under the group's keys. */
  readonly stored: ReadonlyMap<string, StoredBatch>;
  /** The group's timestamp. */
  readonly now: string;
  readonly newId: (slot: number) => string;
  readonly newToken: () => string;
  readonly bounds: GroupBounds;
}

/** The result of one command. Its reply, its slices and its stored batch are all cut from this. */
export interface DecidedCommand extends Transition {
  readonly command: Command;
  readonly batchId: string;
  readonly skipped: readonly string[];
  readonly undo: RevertReference | null;
  readonly userOf: (id: string) => LockedUser;
  readonly work: Work;
}

/** A user whom the group has locked: a slice's number is taken, and names are read, under the lock alone. */
export function lockedUser({ users }: Pick<GroupContext, 'users'>, id: string): LockedUser {
  const user = users.get(id);
  if (user === undefined) throw new NotLocked([id]);
  return user;
}

/**
 * Decides a command on a world that is left as it is. `after` is a layer over it, which holds the command's own changes and what follows
 * from them for memberships and for those who read feeds.
 */
export function decideCommand(
  command: Command,
  world: World,
  group: GroupContext,
  work: Work,
): DecidedCommand | Refusal {
  const { actor } = command.message;
  const batchId = group.newId(slotOf(actor.id));
  const userOf = (id: string) => lockedUser(group, id);
  const { now, newId, newToken } = group;
  const steps = createSteps(world, actor, { now, work });
  const decision = decideSteps(steps, command, { actor, now, batchId, newId, newToken, userOf });
  if (isRefusal(decision)) return decision;
  const { skipped = [], undo = null } = decision ?? {};
  const outcome = steps.finish();
  return { ...outcome, net: netChangesByEntity(outcome.changes), command, batchId, skipped, undo, now, userOf, work };
}

function decideSteps(steps: StepSequence, { definition, payload }: Command, context: DecisionContext): Decision {
  if (definition.decideInSteps !== undefined) return definition.decideInSteps(steps, payload, context);
  const taken = steps.take((draft) => definition.decide?.(draft, payload, context) ?? null);
  return isRefusal(taken) ? taken : taken.decision;
}
