/** link:restore: bring a link back from the trash. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedLink, refuseActiveLink } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { mayRestoreOrSwap } from './judging-links.ts';
import { restoreLink } from './moving-links.ts';
import { callerOnReturn } from './sight.ts';

export const linkRestore = defineCommand({
  event: 'link:restore',
  rest: { method: 'POST', path: '/api/link/restore' },
  summary: 'Brings a link back from the trash.',
  resource: 'link',
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
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
    settle(draft);
    return draft.changes;
  },
});
