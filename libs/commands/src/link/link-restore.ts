/** link:restore: bring a link back from the trash. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, ACL3. */
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import { openDraft } from '@taskgraph/domain/decision/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, namedLink, refuseActiveLink } from '../rules/caller.ts';
import { mayRestoreOrSwap } from '../rules/link-rules.ts';
import { restoreLink } from '../rules/moving-links.ts';
import { callerOnReturn } from '../rules/visibility.ts';

export const linkRestore = defineCommand({
  event: 'link:restore',
  rest: { method: 'POST', path: '/api/link/restore' },
  summary: 'Brings a link back from the trash.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, {
      allowed: (ends) => mayRestoreOrSwap(callerOnReturn(draft, caller), ends),
      refuseState: refuseActiveLink,
    });
    if (isRefusal(found)) return found;
    const refusal = restoreLink(draft, caller, found);
    if (refusal !== null) return refusal;
    recomputeStatuses(draft);
    return draft.changes;
  },
});
