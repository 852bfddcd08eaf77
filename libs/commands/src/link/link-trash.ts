/**
 * link:trash: move a link to the trash, which may unblock its target. Rules: LNK7, TRS3, TRS4,
 * BLK6.
 */
import { mayTrashLink } from '@taskgraph/domain/access/trash-visibility';
import { Level } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { forbiddenOnLink, refuseTrashedTwice } from '../rules/caller.ts';
import { trashLink } from '../rules/link-changes.ts';
import { decideOnLink } from '../rules/link-decision.ts';

export const linkTrash = defineCommand({
  name: 'link:trash',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide: decideOnLink({
    refuseCaller: (ends, { caller }) =>
      mayTrashLink(caller, ends) ? null : forbiddenOnLink(caller, ends, Level.EDITOR),
    refuseState: ({ link }) => (link.trashedWithNode ? null : refuseTrashedTwice(link)),
    act: (ends, { draft, context }) => trashLink(draft, ends, context),
  }),
});
