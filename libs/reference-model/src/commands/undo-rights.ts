// The right to revert or repeat a step: the level that the command in that direction requires
// (HIS3).
import { Level, Op } from '@taskgraph/wire/codes';
import { type Draft, findGrant, findLink, findNode } from '../draft.ts';
import { actorLevel, atLeast } from '../refusals.ts';
import { lasts, levelOnRestore, mayRestoreLink } from '../rules/access.ts';
import { mayShare } from '../rules/grant-rules.ts';
import type { ModelGrant, ModelLink, ModelNode, ModelOp } from '../state.ts';
import { maySwapLink, mayTrashLink } from './link-commands.ts';

/**
 * Steps that make a node or link active. Their inverse is a trashing, as is the forward direction
 * of the others.
 */
const PUTS: ReadonlySet<Op> = new Set([Op.NODE_ADD, Op.NODE_RESTORE, Op.LINK_ADD, Op.LINK_RESTORE]);
const TAKES: ReadonlySet<Op> = new Set([Op.NODE_TRASH, Op.LINK_TRASH]);

/**
 * Whether the actor may revert a step of the command itself. Rules: HIS3, ACL4, ACL10, LNK7, LNK10,
 * TRS2.
 */
export function mayRevert(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
  if (op.kind === 'node') return mayRevertNode(draft, op, direction);
  if (op.kind === 'link') return mayRevertLink(draft, op, direction);
  const { email } = (op.after ?? op.before) as ModelGrant;
  const present = findGrant(draft.state, op.id, email) ?? null;
  // Revoking one's own grant needs no level (ACL10).
  const ends = (direction === 'back' ? op.before : op.after) === null;
  if (ends && email === draft.actor.email && present !== null && lasts(present.due, draft.moment.now)) return true;
  const isBranch = [op.before, op.after, present].some((grant) => grant !== null && (grant as ModelGrant).branch);
  return mayShare(draft, findNode(draft.state, op.id)!, isBranch);
}

function restores(op: ModelOp, direction: 'back' | 'forth'): boolean {
  return direction === 'back' ? TAKES.has(op.op) : PUTS.has(op.op);
}

function mayRevertNode(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
  const node = findNode(draft.state, op.id)!;
  if (op.op === Op.NODE_PUBLISH) {
    return mayShare(
      draft,
      node,
      [op.before, op.after, node].some((one) => (one as ModelNode).publicBranch),
    );
  }
  const { state, actor, moment } = draft;
  const level = restores(op, direction) ? levelOnRestore(state, actor, node, moment.now) : actorLevel(draft, node);
  return atLeast(level, Level.EDITOR);
}

/**
 * HIS3, LNK9: users cannot undo the effects of another user's hidden link, although they see those
 * effects.
 */
function mayRevertLink(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
  const link = findLink(draft.state, op.id)!;
  if (link.private && link.ownerId !== draft.actor.id) return false;
  if (restores(op, direction)) {
    return link.inTrash ? mayRestoreLink(draft.state, draft.actor, link, draft.moment.now) : maySwapLink(draft, link);
  }
  if (PUTS.has(op.op) || TAKES.has(op.op)) return mayTrashLink(draft, link);
  if (op.op === Op.LINK_SWAP) return maySwapLink(draft, link);
  const [before, after] = [op.before as ModelLink, op.after as ModelLink];
  if (before.type !== after.type && !maySwapLink(draft, link)) return false;
  return before.private === after.private || link.ownerId === draft.actor.id;
}
