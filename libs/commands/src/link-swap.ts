/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { refuseCycle } from '@taskgraph/domain/cycles';
import { openDraft } from '@taskgraph/domain/draft';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import {
  callerOf,
  forcedPrivate,
  judgedType,
  mayRestoreOrSwap,
  named,
  namedLink,
  refuseDuplicate,
  refuseTrashed,
  seesNode,
} from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkSwap = defineCommand({
  event: 'link:swap',
  rest: { method: 'POST', path: '/api/link/swap' },
  summary: 'Reverses a link: its source becomes its target.',
  resource: 'link',
  limit: { points: 30, seconds: 10 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, (ends) => mayRestoreOrSwap(caller, context, ends));
    if (isRefusal(found)) return found;
    const { link } = found;
    const [source, target] = [found.target, found.source];
    const type = judgedType(caller, link.type, target);
    const refusal =
      refuseTrashed(link) ??
      refuseDuplicate(draft, caller, { source: source.id, target: target.id }, link.id) ??
      (type === LinkType.PRIMARY ? refuseCycle(draft, source.id, target.id, seesNode(draft, caller), link.id) : null);
    if (refusal !== null) return refusal;
    // Others can't hide or show a link by turning it; only its owner is judged again (LNK8).
    const byOwner = link.ownerId === context.actor.id;
    draft.changeLink(Op.LINK_SWAP, link.id, {
      source: source.id,
      target: target.id,
      type,
      private: link.private || (byOwner && forcedPrivate(caller, source, target)),
      conveys: caller.level(source) === Level.OWNER,
    });
    settle(draft);
    return draft.changes;
  },
});
