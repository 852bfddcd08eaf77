/** link:update: change a link's type or privacy. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, BLK9, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { refuseCycle } from '@taskgraph/domain/cycles';
import { openDraft } from '@taskgraph/domain/draft';
import { LinkType, Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { linkType } from '@taskgraph/wire/fields';
import { slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import {
  callerOf,
  forcedPrivate,
  judgedType,
  mayConvey,
  mayRestoreOrSwap,
  named,
  namedLink,
  refuseDuplicate,
  refuseTrashed,
  seesNode,
} from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkUpdate = defineCommand({
  event: 'link:update',
  rest: { method: 'PUT', path: '/api/link' },
  summary: "Changes a link's type or privacy.",
  resource: 'link',
  limit: { points: 300, seconds: 60 },
  payload: z.strictObject({
    ...named.shape,
    type: linkType.optional(),
    private: z.boolean().optional(),
  }),
  check: ({ type, private: hidden }) =>
    type === undefined && hidden === undefined
      ? refuse('bad_request.no_fields', 'The update names no field to change.')
      : null,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, (ends) => {
      const mayHide = payload.private === undefined || ends.link.ownerId === context.actor.id;
      return mayHide && mayRestoreOrSwap(caller, context, ends);
    });
    if (isRefusal(found)) return found;
    const { link, source, target } = found;
    const wanted = (payload.type ?? link.type) as LinkType;
    const type = payload.type === undefined ? link.type : judgedType(caller, wanted, target);
    const hidden =
      payload.private === undefined ? link.private : payload.private || forcedPrivate(caller, source, target);
    const becomesPublic = link.private && !hidden;
    const becomesPrimary = type === LinkType.PRIMARY && link.type !== LinkType.PRIMARY;
    const refusal =
      refuseTrashed(link) ??
      (becomesPublic ? refuseDuplicate(draft, caller, link, link.id) : null) ??
      (becomesPrimary ? refuseCycle(draft, source.id, target.id, seesNode(draft, caller), link.id) : null);
    if (refusal !== null) return refusal;
    draft.changeLink(Op.LINK_UPDATE, link.id, {
      type,
      private: hidden,
      ...(becomesPublic ? { conveys: mayConvey(caller, source) } : {}),
    });
    settle(draft);
    return draft.changes;
  },
});
