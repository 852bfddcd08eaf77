/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { refuseCycle } from '@taskgraph/domain/cycles';
import { openDraft } from '@taskgraph/domain/draft';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import {
  callerOf,
  forbidden,
  forcedPrivate,
  judgedType,
  linkWithEnds,
  mayTurnLink,
  refuseDuplicate,
  refuseStale,
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
  payload: z.strictObject({ id: anyId, version: version.optional() }),
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = linkWithEnds(draft, caller, payload.id);
    if (isRefusal(found)) return found;
    const { link } = found;
    if (!mayTurnLink(caller, context, link, found.source, found.target)) return forbidden();
    const [source, target] = [found.target, found.source];
    const type = judgedType(caller, link.type, target);
    const refusal =
      refuseStale(link, payload.version) ??
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
    return [...draft.changes];
  },
});
