/** link:delete: delete a trashed link for good. Irreversible. Rules: LNK10. */
import { openDraft } from '@taskgraph/domain/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, linkWithEnds, refuseStale } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkDelete = defineCommand({
  event: 'link:delete',
  rest: { method: 'DELETE', path: '/api/link' },
  summary: 'Deletes a trashed link for good.',
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
    const { link, target } = found;
    if (link.ownerId !== context.actor.id && !caller.may(target, Level.ADMIN)) return forbidden();
    const stale = refuseStale(link, payload.version);
    if (stale !== null) return stale;
    if (!link.inTrash) return refuse('not_trashed_link', 'Only what is in the trash can be deleted.');
    draft.deleteLink(Op.LINK_DELETE, link.id);
    return draft.changes;
  },
});
