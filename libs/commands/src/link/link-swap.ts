/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import { openDraft } from '@taskgraph/domain/decision/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, namedLink, refuseTrashed } from '../rules/caller.ts';
import { mayRestoreOrSwap } from '../rules/link-rules.ts';
import { reverseLink } from '../rules/moving-links.ts';

export const linkSwap = defineCommand({
  event: 'link:swap',
  rest: { method: 'POST', path: '/api/link/swap' },
  summary: 'Reverses a link: its source becomes its target.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
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
    recomputeStatuses(draft);
    return draft.changes;
  },
});
