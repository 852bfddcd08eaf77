// The decision on one command: its changes, and the world before and after them.

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

/** The input of a group's decisions, read under the locks. */
export interface GroupContext {
  readonly world: World;
  readonly users: ReadonlyMap<string, LockedUser>;
  /** Stored batches with the keys of the group's commands. */
  readonly stored: ReadonlyMap<string, StoredBatch>;
  /** The group's timestamp. */
  readonly now: string;
  readonly newId: (slot: number) => string;
  readonly newToken: () => string;
  readonly bounds: GroupBounds;
}

/** The result of one command. Its reply, slices and stored batch derive from it. */
export interface DecidedCommand extends Transition {
  readonly command: Command;
  readonly batchId: string;
  readonly skipped: readonly string[];
  readonly undo: RevertReference | null;
  readonly userOf: (id: string) => LockedUser;
  readonly work: Work;
}

/** A user whom the group has locked. Slice numbers and names are read under this lock alone. */
export function lockedUser({ users }: Pick<GroupContext, 'users'>, id: string): LockedUser {
  const user = users.get(id);
  if (user === undefined) throw new NotLocked([id]);
  return user;
}

/**
 * Decides a command and leaves `world` unchanged. `after` is a layer over it with the command's
 * changes, including memberships and feeds.
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
  const decision = decideSteps(steps, command, {
    actor,
    now,
    batchId,
    newId,
    newToken,
    userOf,
    scopes: command.scopes,
    candidates: command.candidates,
  });
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
