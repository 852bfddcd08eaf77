/** link:update: change a link's type or privacy. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, BLK9, ACL3. */
import { refuse } from '@taskgraph/wire/errors';
import { linkType } from '@taskgraph/wire/fields';
import { slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineCommand } from '../define-command.ts';
import { named, refuseTrashed } from '../rules/caller.ts';
import { onLink } from '../rules/deciding-on-link.ts';
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
  decide: onLink({
    allowed: (ends, { caller, payload }) => mayUpdateLink(caller, ends, payload),
    refuseState: refuseTrashed,
    act: (ends, { draft, caller, payload }) => updateLink(draft, caller, ends, payload),
  }),
});
