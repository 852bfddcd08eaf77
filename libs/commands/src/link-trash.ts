/** link:trash: move a link to the trash; what it blocked may unblock. Rules: LNK7, TRS3, TRS4, BLK6. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, linkWithEnds, refuseStale } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkTrash = defineCommand({
  event: 'link:trash',
  rest: { method: 'POST', path: '/api/link/trash' },
  summary: 'Moves a link to the trash.',
  resource: 'link',
  limit: { points: 300, seconds: 60 },
  payload: z.strictObject({ id: anyId, version: version.optional() }),
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = linkWithEnds(draft, caller, payload.id);
    if (isRefusal(found)) return found;
    const { link, source, target } = found;
    const allowed =
      link.ownerId === context.actor.id ||
      (caller.may(target, Level.EDITOR) && caller.may(source, Level.VIEWER)) ||
      caller.may(source, Level.ADMIN);
    if (!allowed) return forbidden();
    const stale = refuseStale(link, payload.version);
    if (stale !== null) return stale;
    // It went with a node and would come back with it; whoever trashes it by itself wants it to stay (TRS3).
    if (link.trashedWithNode) {
      draft.unmarkLink(link.id);
      return draft.changes;
    }
    if (link.inTrash) return refuse('conflict.already_trashed', 'The link is already in the trash.');
    draft.changeLink(Op.LINK_TRASH, link.id, { inTrash: true, lastBatchID: context.batchId });
    settle(draft);
    return [...draft.changes];
  },
});
