/**
 * link:add: link two nodes, or restore their trashed link. Rules: LNK2 to LNK6, ACL3, BLK5, BLK9.
 */
import { mayRestoreOrSwap } from '@taskgraph/domain/access/trash-visibility';
import type { Draft } from '@taskgraph/domain/decision/draft';
import { recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { newLink } from '@taskgraph/domain/state/new-entities';
import type { LinkState } from '@taskgraph/domain/state/state';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { type Caller, callerOf, notFound, refuseBelow } from '../rules/caller.ts';
import { mayPropagate, mustBePrivate, permittedType, propagatesAgain, refuseActivation } from '../rules/link-rules.ts';

export const linkAdd = defineCommand({
  name: 'link:add',
  route: ({ target }) => slotOf(target),
  readSet: ({ source, target, type }) => ({
    nodes: [source, target],
    between: [[source, target]],
    ...(type === LinkType.PRIMARY ? { paths: [{ from: target, to: source }] } : {}),
  }),
  decide(draft, payload, context) {
    const source = draft.node(payload.source);
    const target = draft.node(payload.target);
    if (source === null) return notFound('node', { id: payload.source });
    if (target === null) return notFound('node', { id: payload.target });
    const caller = callerOf(draft, context);
    const below = refuseBelow(caller, source, Level.VIEWER) ?? refuseBelow(caller, target, Level.VIEWER);
    if (below !== null) return below;
    const type = permittedType(caller, payload.type as LinkType, target);
    const hidden = payload.private || mustBePrivate(caller, source, target);
    const refusal = refuseActivation(draft, caller, { source, target, type });
    if (refusal !== null) return refusal;
    const wanted = {
      source: source.id,
      target: target.id,
      type,
      private: hidden,
      conveys: mayPropagate(caller, { source, target, moves: true }),
    };
    const trashed = linkToRestore(draft, caller, wanted);
    if (trashed === undefined) {
      const id = context.newId(slotOf(wanted.target));
      draft.addLink(Op.LINK_ADD, newLink({ id, ...wanted, ownerId: context.actor.id }, context.now));
    } else {
      const conveys = wanted.conveys || propagatesAgain(caller, trashed, wanted.source);
      draft.changeLink(Op.LINK_RESTORE, trashed.id, { ...wanted, conveys, inTrash: false, trashedWithNode: false });
    }
    recomputeStatuses(draft);
    return null;
  },
});

type LinkRequest = Pick<LinkState, 'source' | 'target' | 'type' | 'private' | 'conveys'>;

/**
 * The trashed link to restore instead of a new one: same direction before reversed, newest first
 * (LNK6).
 */
function linkToRestore(draft: Draft, caller: Caller, wanted: LinkRequest): LinkState | undefined {
  return draft
    .linksBetween(wanted.source, wanted.target)
    .filter((link) => link.inTrash)
    .filter((link) => link.ownerId === caller.id || (!link.private && !wanted.private))
    .filter((link) => {
      const source = draft.existingNode(link.source);
      return mayRestoreOrSwap(caller, { link, source, target: draft.existingNode(link.target) });
    })
    .sort((one, other) => {
      const exact = Number(other.source === wanted.source) - Number(one.source === wanted.source);
      return exact !== 0
        ? exact
        : other.lastEditedTime.localeCompare(one.lastEditedTime) || (one.id < other.id ? 1 : -1);
    })
    .at(0);
}
