// The scopes that a token needs for changes: those of the commands that make the same changes.
// Rule: SCOPE2.
import { type Change, isVisible } from '@taskgraph/domain/state/change';
import { Op } from '@taskgraph/wire/codes';
import { SCOPES, type Scope } from '@taskgraph/wire/scopes';
import { FORM } from './fields.ts';

const SCOPE_OF: Readonly<Record<Op, Scope>> = {
  [Op.NODE_ADD]: 'edit',
  [Op.NODE_UPDATE]: 'edit',
  [Op.NODE_STATUS]: 'edit',
  [Op.NODE_TRASH]: 'trash',
  [Op.NODE_RESTORE]: 'trash',
  [Op.NODE_DELETE]: 'delete',
  [Op.NODE_PUBLISH]: 'share',
  [Op.LINK_ADD]: 'link',
  [Op.LINK_UPDATE]: 'link',
  [Op.LINK_TRASH]: 'trash',
  [Op.LINK_RESTORE]: 'trash',
  [Op.LINK_DELETE]: 'delete',
  [Op.LINK_SWAP]: 'link',
  [Op.GRANT_UPSERT]: 'share',
  [Op.GRANT_UPDATE]: 'share',
  [Op.GRANT_DELETE]: 'share',
};

/** Side effects, such as the status of a parent, need no scope of their own. */
export function scopesOfChanges(changes: readonly Change[]): Scope[] {
  const own = changes.filter(isVisible).filter(({ effect }) => effect !== true);
  const needed = new Set(own.map(({ op }) => SCOPE_OF[op]));
  if (own.some(changesForm)) needed.add('link');
  return SCOPES.filter((scope) => needed.has(scope));
}

/** Adding over a link in the trash restores it in another form, which undo and redo change. */
function changesForm(change: Change): boolean {
  return change.kind === 'link' && FORM.some((field) => change.fields.includes(field));
}
