/** link:trash: move a link to the trash; what it blocked may unblock. Rules: LNK7, TRS3, TRS4, BLK6. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedLink } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkTrash = defineCommand({
  event: 'link:trash',
  rest: { method: 'POST', path: '/api/link/trash' },
  summary: 'Moves a link to the trash.',
  resource: 'link',
  limit: { points: 300, seconds: 60 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, ({ link, source, target }) => {
      const mayEdit = caller.may(target, Level.EDITOR) && caller.may(source, Level.VIEWER);
      // An admin of the source too: it is their node that the link shares (LNK7).
      return link.ownerId === context.actor.id || mayEdit || caller.may(source, Level.ADMIN);
    });
    if (isRefusal(found)) return found;
    const { link } = found;
    // It went with a node and would come back with it; whoever trashes it by itself wants it to stay (TRS3).
    if (link.trashedWithNode) {
      draft.unmarkLink(link.id);
      return draft.changes;
    }
    if (link.inTrash) return refuse('conflict.already_trashed', 'The link is already in the trash.');
    draft.changeLink(Op.LINK_TRASH, link.id, { inTrash: true, lastBatchID: context.batchId });
    settle(draft);
    return draft.changes;
  },
});
