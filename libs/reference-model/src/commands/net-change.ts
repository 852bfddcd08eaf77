// The step of a `batch:run`, with the values from before the whole batch if its earlier steps had
// set them too (HIS10).
import type { ModelGrant, ModelNode, ModelOp } from '../state.ts';
import { fieldsPut, isOfOne, statusByHand } from './undo-conflicts.ts';

const FORM = ['source', 'target', 'type', 'private'];

/**
 * The step to revert in place of one whose own values cannot be restored. Null if an earlier step
 * decides whether the entity exists; undefined if no earlier step of the batch set a field of it.
 * Rules: HIS10.
 */
export function netOf(op: ModelOp, standing: readonly ModelOp[]): ModelOp | null | undefined {
  if (op.kind !== 'grant' && op.after === null) return undefined;
  const earlier = standing.slice(0, standing.indexOf(op)).filter((other) => !other.effect && isOfOne(op, other));
  if (earlier.length === 0) return undefined;
  const mover = earlier.find(movesPlace);
  if (earlier[0]!.before === null) return null;
  if (mover !== undefined && (movesPlace(op) || op.kind === 'grant' || (mover.before as ModelNode).inTrash))
    return null;
  const before: Record<string, unknown> = { ...op.before };
  // A link is restored in one form.
  const fields = op.kind === 'link' ? [...fieldsPut(op), ...FORM] : fieldsPut(op);
  for (const field of fields) {
    const first = earlier.find((other) => fieldsPut(other).includes(field));
    if (first === undefined) continue;
    const value: Record<string, unknown> = { ...first.before };
    before[field] = field === 'status' ? statusByHand(value) : value[field];
  }
  return { ...op, before: before as unknown as ModelGrant };
}

/** Whether a step creates its entity, deletes it, or moves it into or out of the trash. */
function movesPlace(op: ModelOp): boolean {
  return op.before === null || op.after === null || fieldsPut(op).includes('inTrash');
}
