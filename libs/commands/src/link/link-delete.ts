/** link:delete: delete a trashed link permanently. Rules: LNK10. */
import { Level, Op } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { forbiddenOnLink, refuseActiveLink } from '../rules/caller.ts';
import { decideOnLink } from '../rules/link-decision.ts';

export const linkDelete = defineCommand({
  name: 'link:delete',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide: decideOnLink({
    refuseCaller: (ends, { caller }) =>
      ends.link.ownerId === caller.id || caller.may(ends.target, Level.ADMIN)
        ? null
        : forbiddenOnLink(caller, ends, Level.ADMIN),
    refuseState: ({ link }) => refuseActiveLink(link),
    act({ link }, { draft }) {
      draft.deleteLink(Op.LINK_DELETE, link.id);
      return null;
    },
  }),
});
