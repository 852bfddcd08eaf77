/** link:trash: move a link to the trash; what it blocked may unblock. Rules: LNK7, TRS3, TRS4, BLK6. */
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import { openDraft } from '@taskgraph/domain/decision/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, namedLink, refuseTrashedTwice } from '../rules/caller.ts';
import { mayTrashLink } from '../rules/link-rules.ts';
import { trashLink } from '../rules/moving-links.ts';

export const linkTrash = defineCommand({
  event: 'link:trash',
  rest: { method: 'POST', path: '/api/link/trash' },
  summary: 'Moves a link to the trash.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, {
      allowed: (ends) => mayTrashLink(caller, ends),
      refuseState: (link) => (link.trashedWithNode ? null : refuseTrashedTwice(link)),
    });
    if (isRefusal(found)) return found;
    const refusal = trashLink(draft, found, context);
    if (refusal !== null) return refusal;
    recomputeStatuses(draft);
    return draft.changes;
  },
});
