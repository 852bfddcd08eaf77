/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { settle } from '@taskgraph/domain/blocking';
import { refuseCycle } from '@taskgraph/domain/cycles';
import { openDraft } from '@taskgraph/domain/draft';
import { LinkType, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import {
  callerOf,
  judgedAnew,
  mayRestoreOrSwap,
  named,
  namedLink,
  refuseDuplicate,
  refuseTrashed,
  seesNode,
} from './caller.ts';
import { defineCommand } from './define-command.ts';

export const linkSwap = defineCommand({
  event: 'link:swap',
  rest: { method: 'POST', path: '/api/link/swap' },
  summary: 'Reverses a link: its source becomes its target.',
  resource: 'link',
  limit: { points: 30, seconds: 10 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, (ends) => mayRestoreOrSwap(caller, context, ends));
    if (isRefusal(found)) return found;
    const { link } = found;
    const [source, target] = [found.target, found.source];
    const judged = judgedAnew(caller, context, { link, source, target });
    const refusal =
      refuseTrashed(link) ??
      refuseDuplicate(draft, caller, { source: source.id, target: target.id }, link.id) ??
      (judged.type === LinkType.PRIMARY
        ? refuseCycle(draft, source.id, target.id, seesNode(draft, caller), link.id)
        : null);
    if (refusal !== null) return refusal;
    draft.changeLink(Op.LINK_SWAP, link.id, { ...judged, source: source.id, target: target.id });
    settle(draft);
    return draft.changes;
  },
});
