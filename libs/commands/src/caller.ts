// What a command asks about its caller and its entities, and the refusals that follow. Rules: GEN3, GEN7, GEN10, LNK3, LNK7.
import { allows, levelOn, seesLink } from '@taskgraph/domain/access';
import { refuseCycle } from '@taskgraph/domain/cycles';
import type { Draft } from '@taskgraph/domain/draft';
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import type { World } from '@taskgraph/domain/world';
import { Level, LinkType } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import type { DecisionContext } from './define-command.ts';

/** At most this many active links on a node (LNK2). */
const MAXIMUM_LINKS_ON_NODE = 20_000;

export interface Caller {
  level(node: NodeState): Level | null;
  /** Whether the caller has at least this level on the node. */
  may(node: NodeState, needed: Level): boolean;
  sees(link: LinkState): boolean;
}

/** The caller's rights on a loaded world, at the batch's time. */
export function callerOf(world: World, context: DecisionContext): Caller {
  const level = (node: NodeState) => levelOn(node, context.actor, world.grants, context.now);
  return {
    level,
    may: (node, needed) => allows(level(node), needed),
    sees: (link) => seesLink(link, context.actor),
  };
}

export function notFound(kind: 'node' | 'link'): Refusal {
  return refuse('not_found', `There is no such ${kind}.`);
}

export function forbidden(): Refusal {
  return refuse('forbidden', 'Your access level does not allow this.');
}

/** Refuses a stale guard: `version` is optional on every mutation of one existing entity (GEN10). */
function refuseStale(entity: { version: number }, version: number | undefined): Refusal | null {
  if (version === undefined || version === entity.version) return null;
  return refuse('version_conflict', 'The entity has changed since that version.', { version: entity.version });
}

/** What a command on one existing entity carries: the entity, and optionally the version that it was made for (GEN10). */
export const named = z.strictObject({ id: anyId, version: version.optional() });

type Named = z.infer<typeof named>;

/** The node that a command names, judged in this order (GEN3): whether it exists, the caller's level, the guard. */
export function namedNode(
  draft: Draft,
  caller: Caller,
  { id, version: guard }: Named,
  needed: Level,
): NodeState | Refusal {
  const node = draft.node(id);
  if (node === null) return notFound('node');
  if (!caller.may(node, needed)) return forbidden();
  return refuseStale(node, guard) ?? node;
}

/** The same for a link; `allowed` judges the caller's right to do it. */
export function namedLink(
  draft: Draft,
  caller: Caller,
  { id, version: guard }: Named,
  allowed: (found: LinkWithEnds) => boolean,
): LinkWithEnds | Refusal {
  const found = linkWithEnds(draft, caller, id);
  if (isRefusal(found)) return found;
  if (!allowed(found)) return forbidden();
  return refuseStale(found.link, guard) ?? found;
}

export interface LinkWithEnds {
  readonly link: LinkState;
  readonly source: NodeState;
  readonly target: NodeState;
}

/** A link with its ends, as far as the caller may know of it: somebody else's private link is a 404 to all others (GEN7). */
function linkWithEnds(draft: Draft, caller: Caller, id: string): LinkWithEnds | Refusal {
  const link = draft.link(id);
  if (link === null || !caller.sees(link)) return notFound('link');
  return { link, source: draft.existingNode(link.source), target: draft.existingNode(link.target) };
}

/** Whether the caller may restore or swap a link with these ends (LNK7). */
export function mayRestoreOrSwap(
  caller: Caller,
  context: DecisionContext,
  { link, source, target }: LinkWithEnds,
): boolean {
  const seesBoth = caller.may(source, Level.VIEWER) && caller.may(target, Level.VIEWER);
  return seesBoth && (link.ownerId === context.actor.id || caller.may(target, Level.EDITOR));
}

/** The type that a link gets: secondary where the caller can't edit the target, or the target is independent (LNK3). */
export function judgedType(caller: Caller, wanted: LinkType, target: NodeState): LinkType {
  const secondary = !caller.may(target, Level.EDITOR) || target.independent;
  return secondary ? LinkType.SECONDARY : wanted;
}

/** Whether the caller's levels force a link to be private: the document's table of sixteen cells. */
export function forcedPrivate(caller: Caller, source: NodeState, target: NodeState): boolean {
  const onTarget = caller.level(target);
  if (caller.level(source) === Level.VIEWER) return onTarget !== Level.OWNER;
  return onTarget === Level.VIEWER;
}

/** Whether a link that the caller makes active or public may convey: only who owns the source may hand out its branch (ACL3). */
export function mayConvey(caller: Caller, source: NodeState): boolean {
  return caller.level(source) === Level.OWNER;
}

/** What a link that comes back or is reversed is judged to be between its new ends. Only its owner can thereby hide it (LNK8). */
export function judgedAnew(
  caller: Caller,
  context: DecisionContext,
  { link, source, target }: LinkWithEnds,
): Pick<LinkState, 'type' | 'private' | 'conveys'> {
  const byOwner = link.ownerId === context.actor.id;
  return {
    type: judgedType(caller, link.type, target),
    private: link.private || (byOwner && forcedPrivate(caller, source, target)),
    conveys: mayConvey(caller, source),
  };
}

/** Refuses a second link between two nodes; private links of others neither collide nor show (LNK5). */
export function refuseDuplicate(
  draft: Draft,
  caller: Caller,
  wanted: { source: string; target: string },
  except?: string,
): Refusal | null {
  const active = draft
    .linksBetween(wanted.source, wanted.target)
    .filter((link) => !link.inTrash && link.id !== except && caller.sees(link));
  if (active.some((link) => link.source === wanted.source)) {
    return refuse('conflict.duplicate_link', 'The two nodes are already linked in this direction.');
  }
  return active.length > 0
    ? refuse('conflict.duplicate_reversed_link', 'The two nodes are already linked in the other direction.')
    : null;
}

/** Refuses one link more on a node that has the most it may have (LNK2). */
export function refuseTooManyLinks(draft: Draft, nodeId: string): Refusal | null {
  if (draft.degree(nodeId) < MAXIMUM_LINKS_ON_NODE) return null;
  return refuse('conflict.too_many_links', `A node can have at most ${MAXIMUM_LINKS_ON_NODE} links.`);
}

/** Refuses to make a link active: an end in the trash, a duplicate, too many links or a cycle stand in its way, judged in this order. */
export function refuseActivation(
  draft: Draft,
  caller: Caller,
  wanted: { source: NodeState; target: NodeState; type: LinkType },
  except?: string,
): Refusal | null {
  const { source, target, type } = wanted;
  return (
    refuseTrashed(source) ??
    refuseTrashed(target) ??
    refuseDuplicate(draft, caller, { source: source.id, target: target.id }, except) ??
    refuseTooManyLinks(draft, source.id) ??
    refuseTooManyLinks(draft, target.id) ??
    (type === LinkType.PRIMARY ? refuseCycle(draft, source.id, target.id, seesNode(draft, caller), except) : null)
  );
}

/** For cycle paths: whether the caller sees a node, by its id. */
export function seesNode(draft: Draft, caller: Caller): (id: string) => boolean {
  return (id) => caller.may(draft.existingNode(id), Level.VIEWER);
}

export function refuseTrashed(entity: { inTrash: boolean }): Refusal | null {
  return entity.inTrash ? refuse('conflict.in_trash', 'It is in the trash.') : null;
}
