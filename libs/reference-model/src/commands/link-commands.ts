// The commands on links: add, update, trash, restore, swap and delete (LNK).
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { addLink, changeLink, type Draft, findNode, removeLink } from '../draft.ts';
import {
  actorLevel,
  atLeast,
  type Command,
  endLevels,
  namedLink,
  type Refusal,
  refuse,
  staleVersion,
} from '../refusals.ts';
import { mayRestoreLink } from '../rules/access.ts';
import { refuseCycle } from '../rules/cycles.ts';
import {
  bringLinkBack,
  judgedOnReturn,
  judgedPrivate,
  judgedType,
  refuseDuplicate,
  startsPropagating,
  trashLink,
  wasBlockerAs,
} from '../rules/link-rules.ts';
import { recomputeStatuses } from '../rules/status.ts';
import type { ModelLink } from '../state.ts';

interface RequestedLink {
  readonly source: string;
  readonly target: string;
  readonly type: number;
  readonly private: boolean;
}

/**
 * Rules: LNK2, LNK3, LNK4, LNK5, LNK6, GEN7.
 *
 * LNK2: an end in the trash is 409 `conflict.in_trash` (TRS4). The level on it is the level that
 * the trash leaves.
 */
const linkAdd: Command = (draft, payload) => {
  const { source: sourceId, target: targetId } = payload as { source: string; target: string };
  const source = findNode(draft.state, sourceId);
  const target = findNode(draft.state, targetId);
  if (source === undefined || target === undefined) return refuse('not_found');
  const levels = { source: actorLevel(draft, source), target: actorLevel(draft, target) };
  if (levels.source === null || levels.target === null) return refuse('forbidden');
  if (source.inTrash || target.inTrash) return refuse('conflict.in_trash');
  const requested: RequestedLink = {
    source: sourceId,
    target: targetId,
    type: judgedType(target, levels.target, (payload.type as number | undefined) ?? LinkType.PRIMARY),
    private: judgedPrivate(levels, payload.private === true),
  };
  const reused = linkToRestore(draft, requested);
  const refusal = reused === undefined ? makeLink(draft, requested) : bringLinkBack(draft, reused, requested);
  if (refusal === null) recomputeStatuses(draft);
  return refusal;
};

function makeLink(draft: Draft, requested: RequestedLink): Refusal | null {
  const { linkId: id, now } = draft.moment;
  const refusal = refuseDuplicate(draft, { ...requested, id }) ?? refuseCycle(draft, { ...requested, id });
  if (refusal !== null) return refusal;
  const mayPropagate = startsPropagating(draft.state, draft.actor, requested, 'other', now);
  addLink(draft, newLink(draft, requested, draft.actor.id, mayPropagate), 'own');
  return null;
}

/** A new link. Rules: GEN9, LNK7. */
export function newLink(draft: Draft, requested: RequestedLink, ownerId: string, mayPropagate: boolean): ModelLink {
  const { linkId: id, now } = draft.moment;
  return {
    ...requested,
    id,
    ownerId,
    mayPropagate,
    wasBlocker: false,
    version: 1,
    createdTime: now,
    lastEditedTime: now,
    inTrash: false,
    lastBatchID: null,
    marked: false,
    trashedBy: null,
  };
}

/**
 * The trashed link that is restored instead of creating one. Rules: LNK6.
 *
 * LNK6: with equal `lastEditedTime`, the higher id is the newer.
 */
function linkToRestore(draft: Draft, requested: RequestedLink): ModelLink | undefined {
  const { state, actor } = draft;
  const exact = (link: ModelLink) => link.source === requested.source && link.target === requested.target;
  const reversed = (link: ModelLink) => link.source === requested.target && link.target === requested.source;
  const newness = (link: ModelLink) => `${exact(link) ? 1 : 0} ${link.lastEditedTime} ${link.id}`;
  return state.links
    .filter((link) => link.inTrash && (exact(link) || reversed(link)))
    .filter((link) => link.ownerId === actor.id || (!link.private && !requested.private))
    .filter((link) => mayRestoreLink(state, actor, link, draft.moment.now))
    .sort((a, b) => (newness(a) < newness(b) ? 1 : -1))[0];
}

/** Whether the actor may swap an active link, or change its type. Rules: LNK7, LNK10. */
export function maySwapLink(draft: Draft, link: ModelLink): boolean {
  const levels = endLevels(draft.state, draft.actor, link, draft.moment.now);
  if (levels.source === null || levels.target === null) return false;
  return link.ownerId === draft.actor.id || atLeast(levels.target, Level.EDITOR);
}

/** Whether the actor may trash a link. Rules: LNK7. */
export function mayTrashLink(draft: Draft, link: ModelLink): boolean {
  const levels = endLevels(draft.state, draft.actor, link, draft.moment.now);
  if (link.ownerId === draft.actor.id || atLeast(levels.source, Level.ADMIN)) return true;
  return atLeast(levels.target, Level.EDITOR) && levels.source !== null;
}

/**
 * Rules: LNK3, LNK4, LNK5, LNK10, BLK9, ACL3, GEN9.
 *
 * LNK10: only a given field is corrected. `private` alone requires no sight of the ends; it stays
 * or becomes true.
 */
const linkUpdate: Command = (draft, payload) => {
  const link = namedLink(draft, payload.id);
  if (link === undefined) return refuse('not_found');
  if (payload.type !== undefined && !maySwapLink(draft, link)) return refuse('forbidden');
  if (payload.private !== undefined && link.ownerId !== draft.actor.id) return refuse('forbidden');
  if (link.inTrash) return refuse('conflict.in_trash');
  const stale = staleVersion(link, payload);
  if (stale !== null) return stale;
  const refusal = setLink(draft, link, payload);
  if (refusal === null) recomputeStatuses(draft);
  return refusal;
};

/**
 * Gives an active link another type or privacy, as far as LNK3 allows. Rules: LNK3, LNK4, LNK5,
 * LNK10, BLK9, ACL3.
 */
export function setLink(
  draft: Draft,
  link: ModelLink,
  requested: { readonly type?: unknown; readonly private?: unknown },
): Refusal | null {
  const { state, actor } = draft;
  const levels = endLevels(state, actor, link, draft.moment.now);
  const target = findNode(state, link.target)!;
  const type = requested.type === undefined ? link.type : judgedType(target, levels.target, requested.type as number);
  const isPrivate =
    requested.private === undefined ? link.private : judgedPrivate(levels, requested.private as boolean);
  if (type === link.type && isPrivate === link.private) return null;
  const becomesPublic = link.private && !isPrivate;
  const refusal = (becomesPublic ? refuseDuplicate(draft, link) : null) ?? refuseCycle(draft, { ...link, type });
  if (refusal !== null) return refusal;
  const mayPropagate = becomesPublic
    ? startsPropagating(state, actor, link, 'other', draft.moment.now)
    : link.mayPropagate;
  const wasBlocker = wasBlockerAs(type, link.wasBlocker);
  changeLink(draft, Op.LINK_UPDATE, link.id, { type, private: isPrivate, mayPropagate, wasBlocker }, 'own');
  return null;
}

/**
 * Rules: LNK7, TRS3, TRS4, BLK6.
 *
 * TRS3: removing the mark `trashedWithNode` is not a step of history.
 */
const linkTrash: Command = (draft, payload) => {
  const link = namedLink(draft, payload.id);
  if (link === undefined) return refuse('not_found');
  if (!mayTrashLink(draft, link)) return refuse('forbidden');
  if (link.inTrash && !link.marked) return refuse('conflict.already_trashed');
  const stale = staleVersion(link, payload);
  if (stale !== null) return stale;
  if (link.inTrash) {
    Object.assign(link, { marked: false, unmarkedTime: draft.moment.now });
    return null;
  }
  trashLink(draft, link, {});
  recomputeStatuses(draft);
  return null;
};

/** Rules: LNK3, LNK4, LNK5, LNK7, LNK10, ACL3, GEN3. */
const linkRestore: Command = (draft, payload) => {
  const link = namedLink(draft, payload.id);
  if (link === undefined) return refuse('not_found');
  const allowed = link.inTrash
    ? mayRestoreLink(draft.state, draft.actor, link, draft.moment.now)
    : maySwapLink(draft, link);
  if (!allowed) return refuse('forbidden');
  if (!link.inTrash) return refuse('not_trashed_link');
  const { source, target, type, private: isPrivate } = link;
  if ([source, target].some((id) => findNode(draft.state, id)!.inTrash)) return refuse('conflict.in_trash');
  const stale = staleVersion(link, payload);
  if (stale !== null) return stale;
  const judged = judgedOnReturn(draft, link, { source, target, type, private: isPrivate });
  const refusal = bringLinkBack(draft, link, judged);
  if (refusal === null) recomputeStatuses(draft);
  return refusal;
};

/** Rules: LNK7, LNK8, ACL3, BLK6. */
const linkSwap: Command = (draft, payload) => {
  const link = namedLink(draft, payload.id);
  if (link === undefined) return refuse('not_found');
  if (!maySwapLink(draft, link)) return refuse('forbidden');
  if (link.inTrash) return refuse('conflict.in_trash');
  const stale = staleVersion(link, payload);
  if (stale !== null) return stale;
  const refusal = swapLink(draft, link, link);
  if (refusal === null) recomputeStatuses(draft);
  return refusal;
};

/**
 * Reverses an active link. Type and privacy start from the requested ones. Rules: LNK3, LNK4, LNK5,
 * LNK8, ACL3.
 */
export function swapLink(
  draft: Draft,
  link: ModelLink,
  requested: Pick<ModelLink, 'type' | 'private'>,
): Refusal | null {
  const { state, actor } = draft;
  const { now } = draft.moment;
  const ends = { id: link.id, source: link.target, target: link.source };
  const levels = endLevels(state, actor, { ...link, ...ends }, now);
  const type = judgedType(findNode(state, ends.target)!, levels.target, requested.type);
  const isPrivate = link.ownerId === actor.id ? judgedPrivate(levels, requested.private) : link.private;
  const refusal = refuseDuplicate(draft, ends) ?? refuseCycle(draft, { ...ends, type });
  if (refusal !== null) return refusal;
  const mayPropagate = startsPropagating(state, actor, ends, 'swap', now);
  const wasBlocker = wasBlockerAs(type, link.wasBlocker);
  changeLink(draft, Op.LINK_SWAP, link.id, { ...ends, type, private: isPrivate, mayPropagate, wasBlocker }, 'own');
  return null;
}

/** Rules: LNK10, GEN3. */
const linkDelete: Command = (draft, payload) => {
  const link = namedLink(draft, payload.id);
  if (link === undefined) return refuse('not_found');
  const levels = endLevels(draft.state, draft.actor, link, draft.moment.now);
  if (link.ownerId !== draft.actor.id && !atLeast(levels.target, Level.ADMIN)) return refuse('forbidden');
  if (!link.inTrash) return refuse('not_trashed_link');
  const stale = staleVersion(link, payload);
  if (stale !== null) return stale;
  removeLink(draft, link, 'own');
  return null;
};

/** By event. */
export const linkCommands: Readonly<Record<string, Command>> = {
  'link:add': linkAdd,
  'link:update': linkUpdate,
  'link:trash': linkTrash,
  'link:restore': linkRestore,
  'link:swap': linkSwap,
  'link:delete': linkDelete,
};
