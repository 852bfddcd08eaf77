/** link:restore: restore a link from the trash. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, ACL3. */
import { mayRestoreOrSwap } from '@taskgraph/domain/access/trash-visibility';
import { Level } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { forbiddenOnLink, refuseActiveLink, refuseTrashed } from '../rules/caller.ts';
import { callerIfRestored } from '../rules/caller-visibility.ts';
import { restoreLink } from '../rules/link-changes.ts';
import { decideOnLink } from '../rules/link-decision.ts';

export const linkRestore = defineCommand({
  name: 'link:restore',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide: decideOnLink({
    refuseCaller: (ends, { draft, caller }) =>
      mayRestoreOrSwap(callerIfRestored(draft, caller), ends) ? null : forbiddenOnLink(caller, ends, Level.EDITOR),
    refuseState: ({ link, source, target }) => refuseActiveLink(link) ?? refuseTrashed(source) ?? refuseTrashed(target),
    act: (ends, { draft, caller }) => restoreLink(draft, caller, ends),
  }),
});
