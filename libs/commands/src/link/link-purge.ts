/**
 * link:purge: delete a link permanently that has been in the trash since before a time. Rules:
 * LNK10, TRS3, TRS5, GEN9.
 */
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
    // A link that was trashed with a node is restored or deleted with it. A link that lost its mark
    // has been trashed on its own since then.
    const since = link.unmarkedTime ?? '';
    const isOld = link.inTrash && !link.trashedWithNode && link.lastEditedTime < before && since < before;
    if (isOld) draft.deleteLink(Op.LINK_DELETE, id);
    return null;
  },
});
