// Undo and redo: which batch is turned back, who may, and whether its values still hold (HIS).
import { Op } from '@taskgraph/wire/codes';
import { type Draft, findLink, findNode, noteBetween } from '../draft.ts';
import { seesBatch, seesOperation } from '../history.ts';
import { type Command, type Refusal, refuse } from '../refusals.ts';
import { recomputeStatuses } from '../rules/status.ts';
import type { ModelBatch, ModelGrant, ModelOp, ModelState } from '../state.ts';
import { restoreCopies, turnBack } from './turn-back.ts';
import { type Conflict, conflictsOf, type Held, heldOf } from './undo-conflicts.ts';
import { mayTurn } from './undo-rights.ts';

/** Rules: HIS2, HIS3, HIS4, HIS5. */
export const batchUndo: Command = (draft, payload) => turn(draft, payload.batchId as string, 'back');

/** Rules: HIS2, HIS3, HIS4, HIS5. */
export const batchRedo: Command = (draft, payload) => turn(draft, payload.batchId as string, 'forth');

/**
 * Turns a batch back, or back again: a redo is the undo of the undo that stands, which of a batch, its undos and its redos is the last.
 * Rules: HIS2, HIS3, HIS4, HIS5, GEN3.
 *
 * HIS4, GEN3: `conflict.irreversible` comes after the level on what is left and after the batch's own state; `conflict.expired`
 * after `version_conflict`.
 */
function turn(draft: Draft, batchId: string, direction: 'back' | 'forth'): Refusal | null {
  const { state, actor } = draft;
  const batch = state.batches.find((one) => one.id === batchId);
  if (batch === undefined || !seesBatch(state, actor, batch, draft.moment.now)) return refuse('not_found');
  const standing = direction === 'back' ? batch : family(state, batch).at(-1)!;
  const kin = new Set([...family(state, batch).map(({ id }) => id), draft.moment.batchId]);
  const turning = { batch, standing, kin, direction };
  if (batch.ops.every(({ part }) => part === 0)) return turnPart(draft, turning, batch.ops, standing.ops);
  const composite = { ...turning, held: heldOf(state, standing) };
  // Several operations are taken back one by one, the last first (BAT5).
  const way = direction === 'forth' && !batch.undone ? 'forth' : 'back';
  const asked = way === 'forth' ? batch.ops : standing.ops;
  const parts = [...new Set(asked.map(({ part }) => part))];
  if (way === 'back') parts.reverse();
  for (const [at, part] of parts.entries()) {
    if (at > 0) noteBetween(draft);
    const ops = asked.filter((op) => op.part === part);
    const refusal = turnPart({ ...draft, part: at }, composite, ops, ops, way);
    if (refusal === null) continue;
    if (refusal.error !== 'version_conflict') return refusal;
    const rest = parts.slice(at + 1);
    const more = rest.flatMap((one) =>
      laterConflicts(
        draft,
        composite,
        asked.filter((op) => op.part === one),
      ),
    );
    return refuse('version_conflict', { conflicts: once([...conflictsIn(refusal), ...more]) });
  }
  return null;
}

/** Rules: WHY4 (all that stands in the way of a composite's undo), HIS2 (by later batches alone: its own operations put over each other). */
function laterConflicts(draft: Draft, { standing, kin, held }: Turning, ops: readonly ModelOp[]): object[] {
  const own = ops.filter((op) => !op.effect && !isGone(draft.state, op));
  const conflicts = own.flatMap((op) => conflictsOf(draft.state, { standing, ops, kin, ...(held && { held }) }, op));
  const later = conflicts.filter(({ batchId }) => batchId !== standing.id);
  return later.length === 0 ? [] : inSight(draft, later, own);
}

function conflictsIn({ details = {} }: Refusal): object[] {
  return details.conflicts as object[];
}

function once(conflicts: readonly object[]): object[] {
  return [...new Map(conflicts.map((conflict) => [JSON.stringify(conflict), conflict])).values()];
}

interface Turning {
  readonly batch: ModelBatch;
  readonly standing: ModelBatch;
  readonly kin: ReadonlySet<string>;
  readonly direction: 'back' | 'forth';
  /** Of a composite alone. */
  readonly held?: Held;
}

/** Turns steps back: those that were asked for say who may, and those that stand what to do. */
function turnPart(
  draft: Draft,
  { batch, standing, kin, direction, held }: Turning,
  askedOps: readonly ModelOp[],
  ops: readonly ModelOp[],
  way = direction,
): Refusal | null {
  const { state } = draft;
  const gone = askedOps.filter((op) => isGone(state, op));
  const asked = askedOps.filter((op) => !op.effect && !gone.includes(op));
  if (!asked.every((op) => mayTurn(draft, op, way))) return refuse('forbidden');
  if (direction === 'back' && batch.undone) return refuse('conflict.already_undone');
  if (direction === 'forth' && !batch.undone) return refuse('conflict.not_undone');
  if (gone.length > 0) return refuse('conflict.irreversible');
  const own = ops.filter((op) => !op.effect).reverse();
  const conflicts = own.flatMap((op) => conflictsOf(state, { standing, ops, kin, ...(held && { held }) }, op));
  if (conflicts.length > 0) return refuse('version_conflict', { conflicts: inSight(draft, conflicts, own) });
  const late = own.find((op) => comesBackExpired(op, draft.moment.now));
  // In the trash nothing comes back, expired or not; a grant's entity is its node.
  if (late !== undefined) return refuse(findNode(state, late.id)!.inTrash ? 'conflict.in_trash' : 'conflict.expired');
  for (const op of own) {
    const refusal = turnBack(draft, op);
    if (refusal !== null) return refusal;
  }
  restoreCopies(draft, ops);
  recomputeStatuses(draft, exactStatuses(ops));
  return null;
}

/**
 * The conflicts as the actor is told them. Rules: HIS2, HIS7.
 *
 * HIS2: of what the actor does not see now they learn no more than that it stands in the way.
 */
function inSight({ state, actor, moment }: Draft, conflicts: readonly Conflict[], own: readonly ModelOp[]): object[] {
  const seen = new Set(own.filter((op) => seesOperation(state, actor, op, moment.now)).map((op) => op.id));
  const told: object[] = conflicts.filter(({ entity }) => seen.has(entity));
  return told.length === conflicts.length ? told : [...told, { hidden: true }];
}

/**
 * Whether a step can't be turned back because its entity was permanently deleted. Effects of the command may be gone: it is
 * judged anew. Rules: HIS4, ACL9 (a grant's entity is its node).
 */
function isGone(state: ModelState, op: ModelOp): boolean {
  if (op.op === Op.NODE_DELETE || op.op === Op.LINK_DELETE) return true;
  if (op.effect) return false;
  return (op.kind === 'link' ? findLink(state, op.id) : findNode(state, op.id)) === undefined;
}

/** Whether turning a step back would bring a grant or publication back whose time has passed. Rules: HIS4, ACL5. */
function comesBackExpired(op: ModelOp, now: string): boolean {
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

/** The statuses that stood before a batch's derived steps. Rules: BLK3, HIS2. */
function exactStatuses(ops: readonly ModelOp[]): Map<string, number> {
  const exact = new Map<string, number>();
  for (const op of ops.toReversed()) {
    if (op.effect && op.op === Op.NODE_STATUS && op.before !== null && 'status' in op.before) {
      exact.set(op.id, op.before.status);
    }
  }
  return exact;
}

/** The batch that the undos and redos above a batch began with. Rules: HIS5. */
function rootOf(state: ModelState, batch: ModelBatch): ModelBatch {
  const of = batch.undoOf ?? batch.redoOf;
  return of === null ? batch : rootOf(state, state.batches.find((one) => one.id === of)!);
}

/** A batch with all its undos and redos, and theirs, in the order of their commits. Rules: HIS5. */
function family(state: ModelState, batch: ModelBatch): ModelBatch[] {
  const root = rootOf(state, batch);
  return state.batches.filter((one) => rootOf(state, one).id === root.id);
}

/** Whether a batch stands when its root does not: an odd number of undos lies between. Rules: HIS5. */
function isOpposite(state: ModelState, batch: ModelBatch): boolean {
  const of = batch.undoOf ?? batch.redoOf;
  if (of === null) return false;
  const above = isOpposite(state, state.batches.find((one) => one.id === of)!);
  return batch.undoOf === null ? above : !above;
}

/**
 * The state with `undone` as it is after a new undo or redo. Rules: HIS5 (`undone` of an undo is the opposite of its batch's, of a redo
 * the same as its batch's).
 */
export function withUndone(state: ModelState, made: ModelBatch): ModelState {
  if (made.undoOf === null && made.redoOf === null) return state;
  const members = family(state, made);
  const rootUndone = !members[0]!.undone;
  for (const member of members) member.undone = isOpposite(state, member) !== rootUndone;
  return state;
}
