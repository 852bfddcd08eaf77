/** link:swap: reverse a link. Rules: LNK4, LNK5, LNK7, LNK8, BLK6, ACL3. */
import { mayRestoreOrSwap } from '@taskgraph/domain/access/trash-visibility';
import { Level } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { forbiddenOnLink, refuseTrashed } from '../rules/caller.ts';
import { reverseLink } from '../rules/link-changes.ts';
import { decideOnLink } from '../rules/link-decision.ts';

export const linkSwap = defineCommand({
  name: 'link:swap',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide: decideOnLink({
    refuseCaller: (ends, { caller }) =>
      mayRestoreOrSwap(caller, ends) ? null : forbiddenOnLink(caller, ends, Level.EDITOR),
    refuseState: ({ link }) => refuseTrashed(link),
    act: (ends, { draft, caller }) => reverseLink(draft, caller, ends),
  }),
});
