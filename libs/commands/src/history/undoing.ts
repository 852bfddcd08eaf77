// Undo and redo: the changes that a command itself made are taken back, or made again, each by the rules of the command that would do it
// by hand; side effects are judged anew. Rules: HIS2 to HIS6, BAT5, BLK3.
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import type { Draft } from '@taskgraph/domain/decision/draft';
import { requireStored } from '@taskgraph/domain/decision/requiring';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { isUndone } from '@taskgraph/domain/views/history';
import { Op, Status } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Decision, DecisionContext, Steps } from '../define-command.ts';
import { callerOf } from '../rules/caller.ts';
import { mayKnowOf } from '../rules/caller-visibility.ts';
import { heldOf } from './held.ts';
import { conflictsOf, type Reversal, type Reverting } from './reversal.ts';
import { grantReversal, putBackCopies } from './reverting-grants.ts';
import { linkReversal } from './reverting-links.ts';
import { nodeReversal } from './reverting-nodes.ts';

type Kind = 'undo' | 'redo';

/**
 * Decides an undo or redo of a batch: in one step, or, where the batch had several, each of them by itself, the last one first (BAT5). Judged in
 * this order: sight of the batch (404), the right to do each part (403), its state (409).
 */
export function revertBatch(steps: Steps, batchId: string, kind: Kind, context: DecisionContext): Decision {
  const found = steps.look((draft) => findBatch({ draft, caller: callerOf(draft, context), context, kind }, batchId));
  if (isRefusal(found)) return found;
  const { batch, origin } = found;
  const reverses = kind === 'undo' ? !batch.reverses : batch.reverses;
  const skipped: string[] = [];
  const conflicts = createConflictList();
  const refusal = steps.takeEach(found.parts, (part, index) => {
    const reverting = (draft: Draft): Reverting => ({ draft, caller: callerOf(draft, context), context, ...part });
    if (conflicts.refusal !== null) {
      // It is refused: what else stands in the way is told along with it (WHY4).
      conflicts.add(steps.look((draft) => laterConflicts(reverting(draft))));
      return null;
    }
    const step = steps.take((draft) => {
      if (index === 0) draft.record({ kind: 'undone', id: origin.id, undone: reverses, last: context.batchId });
      return revertPart(reverting(draft), found);
    });
    if (isRefusal(step)) return conflicts.begin(step) ? null : step;
    skipped.push(...(step.decision?.skipped ?? []));
    return null;
  });
  return refusal ?? conflicts.refusal ?? { skipped, undo: { kind, batchId, origin: origin.id, reverses } };
}

/** The batch that was asked for, its origin, and the parts to be reverted one after the other. */
interface Found {
  readonly batch: StoredBatch;
  readonly origin: StoredBatch;
  readonly parts: readonly Pick<Reverting, 'batch' | 'kind' | 'held'>[];
  /** The kind of what was asked for. */
  readonly kind: Kind;
}

function findBatch(asking: Omit<Reverting, 'batch'>, batchId: string): Found | Refusal {
  const { draft, kind } = asking;
  const batch = draft.batch(batchId);
  if (batch === null) return notFound(batchId);
  const origin = draft.batch(batch.origin) ?? batch;
  requireStored(draft.world, batch.changes);
  const asked = { ...asking, batch };
  if (!batch.changes.some((change) => mayKnowOf(asked, change))) return notFound(batchId);
  return { batch, origin, kind, parts: partsOf(turnedBack(asked, origin)) };
}

/** The changes of each step of the batch: to undo it, the last step comes first. */
function partsOf(reverting: Reverting): Found['parts'] {
  const { batch, kind } = reverting;
  const byStep = new Map<number, StoredChange[]>();
  for (const change of batch.changes) {
    const { step = 0 } = change;
    const part = byStep.get(step);
    if (part) part.push(change);
    else byStep.set(step, [change]);
  }
  // An undo that changed nothing can be taken back all the same: it is told apart by its state alone (HIS5).
  if (byStep.size === 0) byStep.set(0, []);
  const held = byStep.size > 1 ? { held: heldOf(reverting.draft, batch.changes) } : {};
  const parts = [...byStep.values()].map((changes) => ({ batch: { ...batch, changes }, kind, ...held }));
  return kind === 'undo' ? parts.reverse() : parts;
}

interface Judged {
  readonly reversals: readonly Reversal[];
  /** Those of them that the caller may know of. */
  readonly visible: readonly Reversal[];
}

function judged(reverting: Reverting): Judged {
  const own = ownChanges(reverting);
  const reversals = own.map((change) => reversalOf(reverting, change));
  return { reversals, visible: reversals.filter((_, index) => mayKnowOf(reverting, own[index] as StoredChange)) };
}

function revertPart(reverting: Reverting, found: Found): Decision {
  const { draft } = reverting;
  const { reversals, visible } = judged(reverting);
  const refusal =
    firstInSight(reversals, visible, ({ forbids }) => forbids) ??
    refuseState(reverting, found) ??
    refuseConflicts(reverting, { reversals, visible }) ??
    firstInSight(reversals, visible, ({ problem }) => problem);
  if (refusal !== null) return refusal;
  for (const { apply } of reversals) {
    const problem = apply();
    if (problem !== null) return problem;
  }
  draft.asEffect(() => putBackCopies(reverting));
  recomputeStatuses(draft, exactStatuses(reverting));
  return { skipped: reversals.flatMap(({ skipped }) => skipped()) };
}

/**
 * A redo takes back the undo that stands: what that put there must still be there, and what it took comes back as it was. One of a batch
 * that is not undone will be refused; with which code depends on what it asks for.
 */
function turnedBack(asked: Reverting, origin: StoredBatch): Reverting {
  if (asked.kind === 'undo' || !isUndone(asked.batch, origin) || origin.last === null) return asked;
  const latest = asked.draft.batch(origin.last);
  if (latest === null) throw new Error(`batch ${origin.last} undid another and does not exist`);
  requireStored(asked.draft.world, latest.changes);
  return { ...asked, batch: latest, kind: 'undo' };
}

function notFound(batchId: string): Refusal {
  return refuse('not_found', 'There is no such batch.', { batchId });
}

/** The command's own changes, in the order in which it is taken back or made again. */
function ownChanges({ batch, kind }: Reverting): StoredChange[] {
  const own = batch.changes.filter(({ effect }) => effect !== true);
  return kind === 'undo' ? own.reverse() : own;
}

function reversalOf(reverting: Reverting, change: StoredChange): Reversal {
  if (change.kind === 'node') return nodeReversal(reverting, change);
  return change.kind === 'link' ? linkReversal(reverting, change) : grantReversal(reverting, change);
}

function refuseState(reverting: Reverting, { batch, origin, kind }: Found): Refusal | null {
  const undone = isUndone(batch, origin);
  if (kind === 'undo' && undone) {
    const by = lastInSight(reverting, origin);
    return refuse('conflict.already_undone', 'The batch is undone already.', {
      ...{ batchId: batch.id, ...(by === null ? {} : { by }) },
    });
  }
  if (kind === 'redo' && !undone) {
    return refuse('conflict.not_undone', 'The batch is not undone.', { batchId: batch.id });
  }
  return null;
}

/** The id of the undo or redo that stands, where the caller may know of it (HIS7). */
function lastInSight(reverting: Reverting, { last }: StoredBatch): string | null {
  const batch = last === null ? null : reverting.draft.batch(last);
  if (batch === null) return null;
  requireStored(reverting.draft.world, batch.changes);
  return batch.changes.some((change) => mayKnowOf(reverting, change)) ? batch.id : null;
}

/** Of what the caller does not see now they learn no more than that it stands in the way. */
function refuseConflicts(reverting: Reverting, { reversals, visible }: Judged): Refusal | null {
  if (reversals.every(({ conflicts }) => conflicts.length === 0)) return null;
  const named = conflictsOf(
    reverting,
    visible.flatMap(({ conflicts }) => conflicts),
  );
  const hidden = reversals.some((reversal) => reversal.conflicts.length > 0 && !visible.includes(reversal));
  return refuse('version_conflict', 'What the batch set has been changed since.', {
    conflicts: hidden ? [...named, { hidden: true }] : named,
  });
}

/** Changes by later batches to a part that is not taken back: values that other parts of the same batch put over it don't count. */
function laterConflicts(reverting: Reverting): Record<string, unknown>[] {
  const { reversals, visible } = judged(reverting);
  return reversals.flatMap((reversal) => {
    const later = conflictsOf(reverting, reversal.conflicts).filter(({ batchId }) => batchId !== null);
    if (visible.includes(reversal)) return later;
    return later.length > 0 ? [{ hidden: true }] : [];
  });
}

/** Most conflicts that are told. */
const MOST_CONFLICTS = 500;

/** The conflicts of all parts, each told once: they make one refusal. */
function createConflictList() {
  const found = new Map<string, Record<string, unknown>>();
  let first: Refusal | null = null;
  const add = (conflicts: readonly Record<string, unknown>[]) => {
    for (const conflict of conflicts) {
      const { entity, field, email, hidden } = conflict;
      const key = JSON.stringify([hidden ?? false, entity, field, email]);
      if (!found.has(key)) found.set(key, conflict);
    }
  };
  return {
    /** Begins with the refusal of a part, where that is for its conflicts. */
    begin(refusal: Refusal): boolean {
      if (refusal.code !== 'version_conflict') return false;
      first = refusal;
      add(refusal.details?.conflicts as Record<string, unknown>[]);
      return true;
    },
    add,
    get refusal(): Refusal | null {
      if (first === null) return null;
      const all = [...found.values()];
      // That something is hidden comes last.
      all.sort((one, other) => Number('hidden' in one) - Number('hidden' in other));
      const cut = all.length > MOST_CONFLICTS;
      const conflicts = cut ? [...all.slice(0, MOST_CONFLICTS - 1), ...all.slice(-1)] : all;
      return { ...first, details: { conflicts, ...(cut ? { truncated: true } : {}) } };
    },
  };
}

/** The first refusal, one of what the caller sees before all others; of what they don't see it names nothing. */
function firstInSight(
  reversals: readonly Reversal[],
  visible: readonly Reversal[],
  refusalOf: (reversal: Reversal) => Refusal | null,
): Refusal | null {
  const first = reversals.find((reversal) => refusalOf(reversal) !== null);
  if (first === undefined) return null;
  const refusal = refusalOf(first) as Refusal;
  const seen = visible.map(refusalOf).find((each) => each?.code === refusal.code);
  return seen ?? { ...refusal, details: { hidden: true } };
}

/** The statuses that side effects of the batch ended, and that come back as they were where they can hold (BLK3). */
function exactStatuses({ batch, kind }: Reverting): ReadonlyMap<string, Status> {
  const exact = new Map<string, Status>();
  for (const { op, effect, id, before, after } of batch.changes) {
    if (op !== Op.NODE_STATUS || !effect) continue;
    const status = (kind === 'undo' ? before : after)?.status;
    if (typeof status === 'number' && status !== Status.BLOCKED && !(kind === 'undo' && exact.has(id))) {
      exact.set(id, status as Status);
    }
  }
  return exact;
}
