// Undo and redo: the batch to revert, the right to do it, and whether its values are still current
// (HIS).
import { Op } from '@taskgraph/wire/codes';
import { type Draft, findLink, findNode, recordBetween } from '../draft.ts';
import { seesBatch, seesOperation } from '../history.ts';
import { type Command, type Refusal, refuse } from '../refusals.ts';
import { type FormerStatus, recomputeStatuses } from '../rules/status.ts';
import type { ModelBatch, ModelGrant, ModelOp, ModelState } from '../state.ts';
import { netOf } from './net-change.ts';
import { isReverted, restoreCopies, revertStep } from './reversal.ts';
import { conflictsOf } from './undo-conflicts.ts';
import { mayRevert } from './undo-rights.ts';

/** Rules: HIS2, HIS3, HIS4, HIS5. */
export const batchUndo: Command = (draft, payload) => revertBatch(draft, payload.batchId as string, 'back');

/** Rules: HIS2, HIS3, HIS4, HIS5. */
export const batchRedo: Command = (draft, payload) => revertBatch(draft, payload.batchId as string, 'forth');

/** The part of a batch to revert or repeat: the whole batch, or one operation of a `batch:run`. */
interface Part {
  /** The steps that decide the right. */
  readonly asked: readonly ModelOp[];
  /** The steps to revert. */
  readonly ops: readonly ModelOp[];
  readonly way: 'back' | 'forth';
}

/**
 * Reverts a batch, or repeats it: a redo is the undo of the effective undo, the last of a batch and
 * its undos and redos. Rules: HIS2, HIS3, HIS4, HIS5, HIS10, BAT5, GEN3.
 *
 * HIS3, GEN3: the order of the checks is: the level that the first part requires, the batch's own
 * state, later changes of any part; then for each part the level and other conflicts,
 * `conflict.irreversible` before `conflict.expired`.
 */
function revertBatch(draft: Draft, batchId: string, direction: 'back' | 'forth'): Refusal | null {
  const { state, actor } = draft;
  const batch = state.batches.find((one) => one.id === batchId);
  if (batch === undefined || !seesBatch(state, actor, batch, draft.moment.now)) return refuse('not_found');
  const standing = direction === 'back' ? batch : family(state, batch).at(-1)!;
  const kin = new Set([...family(state, batch).map(({ id }) => id), draft.moment.batchId]);
  const parts = partsOf(batch, standing, direction);
  if (!mayRevertPart(draft, parts[0]!)) return refuse('forbidden');
  if (direction === 'back' && batch.undone) return refuse('conflict.already_undone');
  if (direction === 'forth' && !batch.undone) return refuse('conflict.not_undone');
  const conflicts = conflictsOf(state, { standing, kin });
  if (conflicts.length > 0) return refuse('version_conflict', { conflicts: inSight(draft, conflicts) });
  for (const [at, part] of parts.entries()) {
    if (at > 0) recordBetween(draft);
    const refusal = revertPart({ ...draft, part: parts.length > 1 ? at : draft.part }, part, standing.ops);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Several operations are reverted one by one, the last first (BAT5). */
function partsOf(batch: ModelBatch, standing: ModelBatch, direction: 'back' | 'forth'): Part[] {
  if (batch.ops.every(({ part }) => part === 0)) return [{ asked: batch.ops, ops: standing.ops, way: direction }];
  const way = direction === 'forth' && !batch.undone ? 'forth' : 'back';
  const all = way === 'forth' ? batch.ops : standing.ops;
  // A part that changed nothing is distinguished only by its state (HIS5).
  const numbers = all.length === 0 ? [0] : [...new Set(all.map(({ part }) => part))];
  if (way === 'back') numbers.reverse();
  return numbers.map((number) => {
    const ops = all.filter(({ part }) => part === number);
    return { asked: ops, ops, way };
  });
}

function mayRevertPart(draft: Draft, { asked, way }: Part): boolean {
  return asked.filter((op) => !op.effect && !isGone(draft.state, op)).every((op) => mayRevert(draft, op, way));
}

/**
 * Reverts steps, each to its own earlier values or, if they cannot be restored, to those from
 * before the batch (HIS10).
 */
function revertPart(draft: Draft, part: Part, standing: readonly ModelOp[]): Refusal | null {
  if (!mayRevertPart(draft, part)) return refuse('forbidden');
  if (part.asked.some((op) => isGone(draft.state, op))) return refuse('conflict.irreversible');
  const own = part.ops.filter((op) => !op.effect).reverse();
  const isComposite = standing.some((op) => op.part > 0);
  const net = (op: ModelOp) => (isComposite ? netOf(op, standing) : undefined);
  const chosen = own.map((op) => ({ op, wanted: refuseLate(draft, op) === null ? op : net(op) }));
  for (const { op, wanted } of chosen) {
    const late = wanted === null ? null : refuseLate(draft, wanted ?? op);
    if (late !== null) return late;
  }
  for (const { op, wanted } of chosen) {
    if (wanted === null || wanted === undefined) continue;
    const refusal = revertStep(draft, wanted);
    const instead = refusal !== null && wanted === op ? net(op) : undefined;
    if (refusal === null || instead === null) continue;
    const last = instead === undefined ? refusal : (refuseLate(draft, instead) ?? revertStep(draft, instead));
    if (last !== null) return last;
  }
  restoreCopies(draft, part.ops);
  recomputeStatuses(draft, exactStatuses(part.ops));
  return null;
}

/**
 * Rules: HIS4, TRS4 (nothing is restored on an entity in the trash, expired or not; a grant's
 * entity is its node).
 */
function refuseLate(draft: Draft, op: ModelOp): Refusal | null {
  if (isReverted(draft.state, op) || !restoresExpired(op, draft.moment.now)) return null;
  return refuse(findNode(draft.state, op.id)!.inTrash ? 'conflict.in_trash' : 'conflict.expired');
}

/**
 * The conflicts as the actor sees them. Rules: HIS2, HIS7, WHY4.
 *
 * HIS2: of entities that the actor does not see now, they learn only that there is a conflict.
 */
function inSight({ state, actor, moment }: Draft, all: ReturnType<typeof conflictsOf>): object[] {
  const seen = all.filter(({ op }) => seesOperation(state, actor, op, moment.now));
  const visible: object[] = seen.flatMap(({ conflicts }) => conflicts);
  return seen.length === all.length ? visible : [...visible, { hidden: true }];
}

/**
 * Whether a step cannot be reverted because its entity was permanently deleted. Effects of the
 * command may be gone: they are derived again. Rules: HIS4, ACL9 (a grant's entity is its node).
 */
function isGone(state: ModelState, op: ModelOp): boolean {
  if (op.op === Op.NODE_DELETE || op.op === Op.LINK_DELETE) return true;
  if (op.effect) return false;
  return (op.kind === 'link' ? findLink(state, op.id) : findNode(state, op.id)) === undefined;
}

/** Whether reverting a step would restore an expired grant or publication. Rules: HIS4, ACL5. */
function restoresExpired(op: ModelOp, now: string): boolean {
  if (op.before === null) return false;
  if (op.kind === 'grant') {
    const due = (op.before as ModelGrant).due;
    return (op.after as ModelGrant | null)?.due !== due && isPast(due, now);
  }
  if (op.op !== Op.NODE_PUBLISH || !('publicToken' in op.before)) return false;
  return op.before.publicToken !== null && isPast(op.before.publicDue, now);
}

function isPast(due: string | null, now: string): boolean {
  return due !== null && due <= now;
}

/** The statuses before a batch's derived steps. Rules: BLK3, BLK11, HIS2. */
function exactStatuses(ops: readonly ModelOp[]): Map<string, FormerStatus> {
  const exact = new Map<string, FormerStatus>();
  for (const op of ops.toReversed()) {
    if (op.effect && op.op === Op.NODE_STATUS && op.before !== null && 'status' in op.before) {
      const { status, completedTime } = op.before;
      exact.set(op.id, { status, completedTime });
    }
  }
  return exact;
}

/** The batch at the root of a chain of undos and redos. Rules: HIS5. */
function rootOf(state: ModelState, batch: ModelBatch): ModelBatch {
  const of = batch.undoOf ?? batch.redoOf;
  return of === null ? batch : rootOf(state, state.batches.find((one) => one.id === of)!);
}

/** A batch with all its undos and redos, in commit order. Rules: HIS5. */
function family(state: ModelState, batch: ModelBatch): ModelBatch[] {
  const root = rootOf(state, batch);
  return state.batches.filter((one) => rootOf(state, one).id === root.id);
}

/**
 * Whether a batch is in effect when its root is not: an odd number of undos lies between them.
 * Rules: HIS5.
 */
function isOpposite(state: ModelState, batch: ModelBatch): boolean {
  const of = batch.undoOf ?? batch.redoOf;
  if (of === null) return false;
  const above = isOpposite(state, state.batches.find((one) => one.id === of)!);
  return batch.undoOf === null ? above : !above;
}

/**
 * The state with the value of `undone` after a new undo or redo. Rules: HIS5 (`undone` of an undo
 * is the opposite of its batch's, of a redo the same as its batch's).
 */
export function withUndone(state: ModelState, made: ModelBatch): ModelState {
  if (made.undoOf === null && made.redoOf === null) return state;
  const members = family(state, made);
  const rootUndone = !members[0]!.undone;
  for (const member of members) member.undone = isOpposite(state, member) !== rootUndone;
  return state;
}
