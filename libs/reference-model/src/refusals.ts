// Refusals as values, and the checks that many commands share.

import { type Draft, findLink, findNode } from './draft.ts';
import { levelOf, withLinkActive } from './rules/access.ts';
import type { ModelAnswer, ModelLink, ModelNode, ModelState, ModelUser } from './state.ts';

export type Refusal = Extract<ModelAnswer, { ok: false }>;

/** A command: changes the draft, or returns the refusal. */
export type Command = (draft: Draft, payload: Readonly<Record<string, unknown>>) => Refusal | null;

export function refuse(error: string, details?: Record<string, unknown>): Refusal {
  return details === undefined ? { ok: false, error } : { ok: false, error, details };
}

/** Whether a level is sufficient; null never is. Rules: ACL1. */
export function atLeast(level: number | null, needed: number): boolean {
  return level !== null && level <= needed;
}

/** Refuses a stale version guard. Rules: GEN10. */
export function staleVersion(
  entity: { readonly version: number } | undefined,
  payload: Readonly<Record<string, unknown>>,
): Refusal | null {
  if (payload.version === undefined || payload.version === entity?.version) return null;
  return refuse('version_conflict', { version: entity?.version ?? null });
}

/** The actor's present level on a node. Rules: ACL1. */
export function actorLevel(draft: Draft, node: ModelNode): number | null {
  return levelOf(draft.state, draft.actor, node, draft.moment.now);
}

/** The link of a command. Another user's private link does not exist for the actor. Rules: GEN7. */
export function namedLink(draft: Draft, id: unknown): ModelLink | undefined {
  const link = findLink(draft.state, id as string);
  return link?.private && link.ownerId !== draft.actor.id ? undefined : link;
}

/** A user's levels on both ends of a link. */
export interface EndLevels {
  readonly source: number | null;
  readonly target: number | null;
}

/**
 * A user's levels on the ends of a link. Rules: ACL1, LNK7 ("for the link's trasher, sight of the ends is judged as if it were
 * active").
 */
export function endLevels(state: ModelState, user: ModelUser, link: ModelLink, now: string): EndLevels {
  const judged = link.inTrash && link.trashedBy === user.id ? withLinkActive(state, link.id) : state;
  const level = (id: string) => levelOf(judged, user, findNode(judged, id)!, now);
  return { source: level(link.source), target: level(link.target) };
}
