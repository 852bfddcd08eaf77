/** link:restore: bring a link back from the trash. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, judgedAnew, mayRestoreOrSwap, named, namedLink, refuseActivation } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkRestore = defineCommand({
  event: 'link:restore',
  rest: { method: 'POST', path: '/api/link/restore' },
  summary: 'Brings a link back from the trash.',
  resource: 'link',
  limit: { points: 300, seconds: 60 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, (ends) => mayRestoreOrSwap(caller, context, ends));
    if (isRefusal(found)) return found;
    const { link, source, target } = found;
    if (!link.inTrash) return refuse('not_trashed_link', 'The link is not in the trash.');
    const judged = judgedAnew(caller, context, found);
    const refusal = refuseActivation(draft, caller, { source, target, type: judged.type }, link.id);
    if (refusal !== null) return refusal;
    draft.changeLink(Op.LINK_RESTORE, link.id, { ...judged, inTrash: false, trashedWithNode: false });
    settle(draft);
    return draft.changes;
  },
});
