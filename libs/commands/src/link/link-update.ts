/** link:update: change a link's type or privacy. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, BLK9, ACL3. */
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import { openDraft } from '@taskgraph/domain/decision/draft';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { linkType } from '@taskgraph/wire/fields';
import { slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, namedLink, refuseTrashed } from '../rules/caller.ts';
import { mayUpdateLink, updateLink } from '../rules/moving-links.ts';

export const linkUpdate = defineCommand({
  event: 'link:update',
  rest: { method: 'PUT', path: '/api/link' },
  summary: "Changes a link's type or privacy.",
  resource: 'link',
  payload: z.strictObject({
    ...named.shape,
    type: linkType.optional(),
    private: z.boolean().optional(),
  }),
  check: ({ type, private: hidden }) =>
    type === undefined && hidden === undefined
      ? refuse('bad_request.no_fields', 'The update names no field to change.')
      : null,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    const found = namedLink(draft, caller, payload, {
      allowed: (ends) => mayUpdateLink(caller, ends, payload),
      refuseState: refuseTrashed,
    });
    if (isRefusal(found)) return found;
    const refusal = updateLink(draft, caller, found, payload);
    if (refusal !== null) return refusal;
    recomputeStatuses(draft);
    return draft.changes;
  },
});
