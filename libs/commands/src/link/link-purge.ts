/** link:purge: delete for good a link that has been in the trash since before a moment. Irreversible. Rules: LNK10, TRS3, TRS5, GEN9. */
import { Op } from '@taskgraph/wire/codes';
import { timestamp } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineSystemCommand } from '../define-command.ts';
import { notFound } from '../rules/caller.ts';

export const linkPurge = defineSystemCommand({
  name: 'link:purge',
  resource: 'link',
  payload: z.strictObject({ id: anyId, before: timestamp }),
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide(draft, { id, before }) {
    const link = draft.link(id);
    if (link === null) return notFound('link', { id });
    // A link trashed with a node waits for that node: it comes back with it, or is deleted with it.
    // One that was left behind when its node came back, or was to stay, has been there by itself since then.
    const since = link.unmarkedTime ?? '';
    const isOld = link.inTrash && !link.trashedWithNode && link.lastEditedTime < before && since < before;
    if (isOld) draft.deleteLink(Op.LINK_DELETE, id);
    return null;
  },
});
