// The right to turn a step back or forth: the level that the command in that direction asks for (HIS3).
import { Level, Op } from '@taskgraph/wire/codes';
import { type Draft, findGrant, findLink, findNode } from '../draft.ts';
import { actorLevel, atLeast } from '../refusals.ts';
import { lasts, levelOnRestore, mayRestoreLink } from '../rules/access.ts';
import { mayShare } from '../rules/grant-rules.ts';
import type { ModelGrant, ModelLink, ModelNode, ModelOp } from '../state.ts';
import { maySwapLink, mayTrashLink } from './link-commands.ts';

/** Steps that put a node or link in its place: turned back they are a trashing, like the forward way of the others. */
const PUTS: ReadonlySet<Op> = new Set([Op.NODE_ADD, Op.NODE_RESTORE, Op.LINK_ADD, Op.LINK_RESTORE]);
const TAKES: ReadonlySet<Op> = new Set([Op.NODE_TRASH, Op.LINK_TRASH]);

/** Whether the actor may turn a step of the command itself. Rules: HIS3, ACL4, ACL10, LNK7, LNK10, TRS2. */
export function mayTurn(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
  if (op.kind === 'node') return mayTurnNode(draft, op, direction);
  if (op.kind === 'link') return mayTurnLink(draft, op, direction);
  const { email } = (op.after ?? op.before) as ModelGrant;
  const present = findGrant(draft.state, op.id, email) ?? null;
  // Taking one's own grant away needs no level (ACL10).
  const ends = (direction === 'back' ? op.before : op.after) === null;
  if (ends && email === draft.actor.email && present !== null && lasts(present.due, draft.moment.now)) return true;
  const isBranch = [op.before, op.after, present].some((grant) => grant !== null && (grant as ModelGrant).branch);
  return mayShare(draft, findNode(draft.state, op.id)!, isBranch);
}

function restores(op: ModelOp, direction: 'back' | 'forth'): boolean {
  return direction === 'back' ? TAKES.has(op.op) : PUTS.has(op.op);
}

function mayTurnNode(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
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

/** HIS3, LNK9: what a link of another's hides can't be undone by others, though they see what followed from it. */
function mayTurnLink(draft: Draft, op: ModelOp, direction: 'back' | 'forth'): boolean {
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
