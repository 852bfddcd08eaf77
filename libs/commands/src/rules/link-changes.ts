// The state changes of links: trash, restore, swap and update. Commands and undo share them. Rules:
// LNK3 to LNK8, TRS3, ACL3.
import { mayRestoreOrSwap } from '@taskgraph/domain/access/trash-visibility';
import { refuseCycle } from '@taskgraph/domain/decision/cycles';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { LinkState } from '@taskgraph/domain/state/state';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import type { Refusal } from '@taskgraph/wire/errors';
import type { DecisionContext } from '../define-command.ts';
import {
  type Caller,
  forbidden,
  forbiddenOnLink,
  type LinkWithEnds,
  pathVisibility,
  refuseActiveLink,
  refuseTrashed,
  refuseTrashedTwice,
} from './caller.ts';
import {
  kindAfterRestore,
  kindAfterSwap,
  mayPropagate,
  mustBePrivate,
  permittedType,
  refuseActivation,
  refuseDuplicate,
} from './link-rules.ts';

/**
 * Trashes an active link; undo also restores its former form. A link that was trashed with a node
 * only loses its mark, so that it stays in the trash when the node is restored (TRS3).
 */
export function trashLink(
  draft: Draft,
  { link }: LinkWithEnds,
  context: DecisionContext,
  former: Partial<LinkState> = {},
): Refusal | null {
  if (link.trashedWithNode) {
    draft.unmarkLink(link.id);
    return null;
  }
  const twice = refuseTrashedTwice(link);
  if (twice !== null) return twice;
  draft.changeLink(Op.LINK_TRASH, link.id, {
    ...former,
    inTrash: true,
    lastBatchID: context.batchId,
    trashedBy: context.actor.id,
  });
  return null;
}

/** Restores a trashed link, judged by current rights. */
export function restoreLink(draft: Draft, caller: Caller, found: LinkWithEnds, mark: Mark = {}): Refusal | null {
  const { link, source, target } = found;
  const judged = kindAfterRestore(caller, found);
  const refusal =
    refuseActiveLink(link) ?? refuseActivation(draft, caller, { source, target, type: judged.type }, link.id);
  if (refusal !== null) return refusal;
  const ends = { source: source.id, target: target.id };
  draft.changeLink(Op.LINK_RESTORE, link.id, {
    ...ends,
    ...judged,
    ...markAs(judged.type, mark),
    inTrash: false,
    trashedWithNode: false,
  });
  return null;
}

/** Swaps an active link, judged for its new direction (LNK8). */
export function reverseLink(draft: Draft, caller: Caller, found: LinkWithEnds, mark: Mark = {}): Refusal | null {
  const { link } = found;
  const [source, target] = [found.target, found.source];
  const judged = kindAfterSwap(caller, { link, source, target });
  const refusal =
    refuseTrashed(link) ??
    refuseDuplicate(draft, caller, { source: source.id, target: target.id }, link.id) ??
    (judged.type === LinkType.PRIMARY
      ? refuseCycle(draft, source.id, target.id, pathVisibility(draft, caller), link.id)
      : null);
  if (refusal !== null) return refusal;
  const ends = { source: source.id, target: target.id };
  draft.changeLink(Op.LINK_SWAP, link.id, { ...judged, ...markAs(judged.type, mark), ...ends });
  return null;
}

/** The mark of having blocked, which an undo restores if the link becomes primary again (BLK9). */
type Mark = Partial<Pick<LinkState, 'wasBlocker'>>;

function markAs(type: LinkType, { wasBlocker }: Mark): Mark {
  return wasBlocker === true && type === LinkType.PRIMARY ? { wasBlocker } : {};
}

interface LinkUpdate {
  readonly type?: number | undefined;
  readonly private?: boolean | undefined;
}

/**
 * Refuses callers who may not change the link: `type` needs the right to swap it, `private` needs
 * its owner (LNK10).
 */
export function refuseUpdateOfLink(
  caller: Caller,
  ends: LinkWithEnds,
  { type, private: hidden }: LinkUpdate,
): Refusal | null {
  if (hidden !== undefined && ends.link.ownerId !== caller.id) {
    return forbidden({ id: ends.link.id, needed: Level.OWNER, level: null });
  }
  const maySwap = type === undefined || mayRestoreOrSwap(caller, ends);
  return maySwap ? null : forbiddenOnLink(caller, ends, Level.EDITOR);
}

/** Changes an active link's type or privacy. Values are corrected as by link:add (LNK3). */
export function updateLink(
  draft: Draft,
  caller: Caller,
  found: LinkWithEnds,
  wanted: LinkUpdate,
  mark: Mark = {},
): Refusal | null {
  const { link, source, target } = found;
  const type = wanted.type === undefined ? link.type : permittedType(caller, wanted.type as LinkType, target);
  const hidden = wanted.private === undefined ? link.private : wanted.private || mustBePrivate(caller, source, target);
  const becomesPublic = link.private && !hidden;
  const becomesPrimary = type === LinkType.PRIMARY && link.type !== LinkType.PRIMARY;
  const refusal =
    refuseTrashed(link) ??
    (becomesPublic ? refuseDuplicate(draft, caller, link, link.id) : null) ??
    (becomesPrimary ? refuseCycle(draft, source.id, target.id, pathVisibility(draft, caller), link.id) : null);
  if (refusal !== null) return refusal;
  draft.changeLink(Op.LINK_UPDATE, link.id, {
    ...markAs(type, mark),
    type,
    private: hidden,
    ...(becomesPublic ? { conveys: mayPropagate(caller, { source, target, moves: true }) } : {}),
  });
  return null;
}
