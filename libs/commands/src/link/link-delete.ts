/** link:delete: delete a trashed link for good. Irreversible. Rules: LNK10. */
import { openDraft } from '@taskgraph/domain/decision/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, namedLink, refuseActiveLink } from '../rules/caller.ts';

export const linkDelete = defineCommand({
  event: 'link:delete',
  rest: { method: 'DELETE', path: '/api/link' },
  summary: 'Deletes a trashed link for good.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, {
      allowed: ({ link, target }) => link.ownerId === context.actor.id || caller.may(target, Level.ADMIN),
      refuseState: refuseActiveLink,
    });
    if (isRefusal(found)) return found;
    draft.deleteLink(Op.LINK_DELETE, found.link.id);
    return draft.changes;
  },
});
