/** link:delete: delete a trashed link for good. Irreversible. Rules: LNK10. */
import { openDraft } from '@taskgraph/domain/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedLink } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkDelete = defineCommand({
  event: 'link:delete',
  rest: { method: 'DELETE', path: '/api/link' },
  summary: 'Deletes a trashed link for good.',
  resource: 'link',
  limit: { points: 300, seconds: 60 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, ({ link, target }) => {
      return link.ownerId === context.actor.id || caller.may(target, Level.ADMIN);
    });
    if (isRefusal(found)) return found;
    const { link } = found;
    if (!link.inTrash) return refuse('not_trashed_link', 'Only what is in the trash can be deleted.');
    draft.deleteLink(Op.LINK_DELETE, link.id);
    return draft.changes;
  },
});
