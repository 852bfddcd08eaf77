/**
 * link:update: change a link's type or privacy. Rules: LNK3, LNK4, LNK5, LNK7, LNK10, BLK9, ACL3.
 */
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { refuseTrashed } from '../rules/caller.ts';
import { refuseUpdateOfLink, updateLink } from '../rules/link-changes.ts';
import { decideOnLink } from '../rules/link-decision.ts';

export const linkUpdate = defineCommand({
  name: 'link:update',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ links: [id] }),
  decide: decideOnLink({
    refuseCaller: (ends, { caller, payload }) => refuseUpdateOfLink(caller, ends, payload),
    refuseState: ({ link }) => refuseTrashed(link),
    act: (ends, { draft, caller, payload }) => updateLink(draft, caller, ends, payload),
  }),
});
