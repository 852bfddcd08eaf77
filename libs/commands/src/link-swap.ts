/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedLink, refuseTrashed } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { mayRestoreOrSwap } from './judging-links.ts';
import { reverseLink } from './moving-links.ts';

export const linkSwap = defineCommand({
  event: 'link:swap',
  rest: { method: 'POST', path: '/api/link/swap' },
  summary: 'Reverses a link: its source becomes its target.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, {
      allowed: (ends) => mayRestoreOrSwap(caller, ends),
      refuseState: refuseTrashed,
    });
    if (isRefusal(found)) return found;
    const refusal = reverseLink(draft, caller, found);
    if (refusal !== null) return refusal;
    settle(draft);
    return draft.changes;
  },
});
