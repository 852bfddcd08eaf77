/** link:trash: move a link to the trash; what it blocked may unblock. Rules: LNK7, TRS3, TRS4, BLK6. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedLink, refuseTrashedTwice } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { mayTrashLink } from './judging-links.ts';
import { trashLink } from './moving-links.ts';

export const linkTrash = defineCommand({
  event: 'link:trash',
  rest: { method: 'POST', path: '/api/link/trash' },
  summary: 'Moves a link to the trash.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
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
    settle(draft);
    return draft.changes;
  },
});
