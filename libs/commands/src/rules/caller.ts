// A command's checks of its caller and its entities, and their refusals. Rules: GEN3, GEN7, GEN10.

import { inheritedFeedsOf, type OwnedNode, permissionsOf } from '@taskgraph/domain/access/permissions';
import { allows, isOpenTo } from '@taskgraph/domain/access/reader-access';
import type { PathVisibility } from '@taskgraph/domain/decision/cycles';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { LinkState, NodeState, Reader } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { Level } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { VersionedId } from '@taskgraph/wire/operations/payloads';
import type { DecisionContext } from '../define-command.ts';

export interface Caller {
  readonly id: string;
  readonly email: string;
  readonly reader: Reader;
  /** The world before the command. Rights are judged on it. */
  readonly world: World;
  level(node: NodeState): Level | null;
  /** Whether the caller has at least this level on the node. */
  may(node: NodeState, needed: Level): boolean;
  /**
   * Whether the caller may share what is below a node: its owner, or an admin by a branch grant
   * (ACL3, ACL4).
   */
  mayShareBranch(node: NodeState): boolean;
  /** The level as if the node also belonged to these feeds. */
  levelWith(node: NodeState, feeds: readonly string[]): Level | null;
  /** The feeds that nodes below this one inherit (ACL2). */
  inheritedFeeds(node: OwnedNode): readonly string[];
  /** A user whom the group has locked; throws `NotLocked` for others. */
  readonly userOf: (id: string) => Reader;
  /** Whether the link is public or the caller's own. */
  sees(link: LinkState): boolean;
}

/** The caller's rights in the world before the command, at the batch's time. */
export function callerOf({ base: world, now }: Draft, { actor, userOf }: DecisionContext): Caller {
  const permissions = permissionsOf(world, actor, now);
  return {
    id: actor.id,
    email: actor.email,
    reader: actor,
    world,
    level: permissions.level,
    may: (node, needed) => allows(permissions.level(node), needed),
    mayShareBranch: (node) => allows(permissions.branchLevel(node), Level.ADMIN),
    levelWith: permissions.levelWith,
    inheritedFeeds: (node) => inheritedFeedsOf(world, node),
    userOf,
    sees: (link) => isOpenTo(link, actor),
  };
}

/**
 * `named` repeats the caller's input and nothing else, so it does not reveal whether the entity
 * exists.
 */
export function notFound(kind: 'node' | 'link' | 'grant', named: { id: string; email?: string }): Refusal {
  return refuse('not_found', `There is no such ${kind}.`, named);
}

/**
 * Refuses a caller whose level is too low. `missing` says where, and which level is needed and
 * held, as far as the caller may know (WHY4).
 */
export function forbidden(missing: MissingPermission = {}): Refusal {
  const details = Object.keys(missing).length === 0 ? undefined : { ...missing };
  return refuse('forbidden', 'Your access level does not allow this.', details);
}

export interface MissingPermission {
  /** A node that the caller sees or named, or a link that only its owner may change. */
  readonly id?: string;
  readonly needed?: Level;
  readonly level?: Level | null;
  /** Only the owner or an admin by a branch grant may do it (ACL4). */
  readonly branch?: true;
  readonly hidden?: true;
}

/** Refuses a caller below a level on a node that they named. */
export function refuseBelow(
  caller: { readonly level: (node: NodeState) => Level | null },
  node: NodeState,
  needed: Level,
): Refusal | null {
  const level = caller.level(node);
  return allows(level, needed) ? null : forbidden({ id: node.id, needed, level });
}

/** Refuses a caller who may not share a branch. Only admins learn that the branch is the reason. */
export function refuseSharing(caller: Caller, node: NodeState): Refusal | null {
  if (caller.mayShareBranch(node)) return null;
  const level = caller.level(node);
  const missing = { id: node.id, needed: Level.ADMIN, level };
  return forbidden(allows(level, Level.ADMIN) ? { ...missing, branch: true } : missing);
}

/** Refuses a caller's command on a link. Details name an end only if the caller sees both ends. */
export function forbiddenOnLink(caller: Caller, { source, target }: LinkWithEnds, needed: Level): Refusal {
  const [onSource, onTarget] = [caller.level(source), caller.level(target)];
  if (onSource === null || onTarget === null) return forbidden({ needed: Level.VIEWER, level: null });
  return forbidden({ id: target.id, needed, level: onTarget });
}

/** Refuses an end that is not in the future (ACL5). */
export function refusePastDue({ due }: { due?: string | null | undefined }, now: string): Refusal | null {
  if (due === undefined || due === null || due > now) return null;
  return refuse('invalid_due', 'The field due must lie in the future.', { path: 'due' });
}

/**
 * Refuses a stale version guard, which is optional on every command on one existing entity (GEN10).
 */
export function refuseStale(entity: { version: number } | null, version: number | undefined): Refusal | null {
  if (version === undefined || version === entity?.version) return null;
  const present = entity?.version ?? null;
  return refuse('version_conflict', 'The entity has changed since that version.', { version: present });
}

/**
 * The node that a command names. Checks in order: existence, level, state, version guard (GEN3).
 */
export function namedNode(
  draft: Draft,
  caller: Pick<Caller, 'level'>,
  { id, version: guard }: VersionedId,
  { needed, refuseState }: { readonly needed: Level; readonly refuseState: (node: NodeState) => Refusal | null },
): NodeState | Refusal {
  const node = draft.node(id);
  if (node === null) return notFound('node', { id });
  return refuseBelow(caller, node, needed) ?? refuseState(node) ?? refuseStale(node, guard) ?? node;
}

export interface LinkWithEnds {
  readonly link: LinkState;
  readonly source: NodeState;
  readonly target: NodeState;
}

/** A link with its ends. Another user's private link is not found (GEN7). */
export function linkWithEnds(draft: Draft, caller: Caller, id: string): LinkWithEnds | Refusal {
  const link = draft.link(id);
  if (link === null || !caller.sees(link)) return notFound('link', { id });
  return { link, source: draft.existingNode(link.source), target: draft.existingNode(link.target) };
}

/** The visibility of cycle paths. */
export function pathVisibility(draft: Draft, caller: Caller): PathVisibility {
  return {
    node: (id) => caller.may(draft.existingNode(id), Level.VIEWER),
    link: (link) => isOpenTo(link, caller.reader),
  };
}

/** The part of a node or link that checks of the trash read. */
type Trashable = Pick<NodeState, 'id' | 'inTrash'>;

/** Refuses to trash an entity twice (TRS4). */
export function refuseTrashedTwice({ id, inTrash }: Trashable): Refusal | null {
  return inTrash ? refuse('conflict.already_trashed', 'The entity is already in the trash.', { id }) : null;
}

/** Refuses to restore or delete an active node. */
export function refuseActiveNode({ id, inTrash }: Trashable): Refusal | null {
  return inTrash ? null : refuse('not_trashed_node', 'The node is not in the trash.', { id });
}

/** Refuses to restore or delete an active link. */
export function refuseActiveLink({ id, inTrash }: Trashable): Refusal | null {
  return inTrash ? null : refuse('not_trashed_link', 'The link is not in the trash.', { id });
}

export function refuseTrashed({ id, inTrash }: Trashable): Refusal | null {
  return inTrash ? refuse('conflict.in_trash', 'The entity is in the trash.', { id }) : null;
}
