// Undo and redo: the changes that a command itself made are taken back, or made again, each by the rules of the command that would do it
// by hand; side effects are judged anew. Rules: HIS2 to HIS6, BAT5, BLK3.
import { recomputeStatuses } from '@taskgraph/domain/decision/blocking';
import { requireStored } from '@taskgraph/domain/decision/requiring';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { isUndone } from '@taskgraph/domain/views/history';
import { Op, Status } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Decision, DecisionContext, Steps } from '../define-command.ts';
import { callerOf, forbidden } from '../rules/caller.ts';
import { mayKnowOf } from '../rules/caller-visibility.ts';
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
  const refusal = steps.takeEach(found.parts, (part, index) => {
    const step = steps.take((draft) => {
      if (index === 0) draft.record({ kind: 'undone', id: origin.id, undone: reverses, last: context.batchId });
      return revertPart({ draft, caller: callerOf(draft, context), context, ...part }, found);
    });
    if (isRefusal(step)) return step;
    skipped.push(...(step.decision?.skipped ?? []));
    return null;
  });
  return refusal ?? { skipped, undo: { kind, batchId, origin: origin.id, reverses } };
}

/** The batch that was asked for, its origin, and the parts to be reverted one after the other. */
interface Found {
  readonly batch: StoredBatch;
  readonly origin: StoredBatch;
  readonly parts: readonly Pick<Reverting, 'batch' | 'kind'>[];
  /** The kind of what was asked for. */
  readonly kind: Kind;
}

function findBatch(asking: Omit<Reverting, 'batch'>, batchId: string): Found | Refusal {
  const { draft, kind } = asking;
  const batch = draft.batch(batchId);
  if (batch === null) return notFound;
  const origin = draft.batch(batch.origin) ?? batch;
  requireStored(draft.world, batch.changes);
  const asked = { ...asking, batch };
  if (!batch.changes.some((change) => mayKnowOf(asked, change))) return notFound;
  return { batch, origin, kind, parts: partsOf(turnedBack(asked, origin)) };
}

/** The changes of each step of the batch: to undo it, the last step comes first. */
function partsOf({ batch, kind }: Reverting): Found['parts'] {
  const byStep = new Map<number, StoredChange[]>();
  for (const change of batch.changes) {
    const { step = 0 } = change;
    const part = byStep.get(step);
    if (part) part.push(change);
    else byStep.set(step, [change]);
  }
  const parts = [...byStep.values()].map((changes) => ({ batch: { ...batch, changes }, kind }));
  return kind === 'undo' ? parts.reverse() : parts;
}

function revertPart(reverting: Reverting, { batch, origin, kind }: Found): Decision {
  const { draft } = reverting;
  const own = ownChanges(reverting);
  const reversals = own.map((change) => reversalOf(reverting, change));
  const visible = reversals.filter((_, index) => mayKnowOf(reverting, own[index] as StoredChange));
  const refusal =
    (reversals.some(({ allowed }) => !allowed) ? forbidden() : null) ??
    refuseState(batch, origin, kind) ??
    refuseConflicts(reverting, reversals, visible) ??
    firstRefusal(reversals.map(({ problem }) => problem));
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

const notFound = refuse('not_found', 'There is no such batch.');

/** The command's own changes, in the order in which it is taken back or made again. */
function ownChanges({ batch, kind }: Reverting): StoredChange[] {
  const own = batch.changes.filter(({ effect }) => effect !== true);
  return kind === 'undo' ? own.reverse() : own;
}

function reversalOf(reverting: Reverting, change: StoredChange): Reversal {
  if (change.kind === 'node') return nodeReversal(reverting, change);
  return change.kind === 'link' ? linkReversal(reverting, change) : grantReversal(reverting, change);
}

function refuseState(batch: StoredBatch, origin: StoredBatch, kind: Kind): Refusal | null {
  const undone = isUndone(batch, origin);
  if (kind === 'undo' && undone) return refuse('conflict.already_undone', 'The batch is undone already.');
  if (kind === 'redo' && !undone) return refuse('conflict.not_undone', 'The batch is not undone.');
  return null;
}

/** Of what the caller does not see now they learn no more than that it stands in the way. */
function refuseConflicts(
  reverting: Reverting,
  reversals: readonly Reversal[],
  visible: readonly Reversal[],
): Refusal | null {
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

function firstRefusal(refusals: readonly (Refusal | null)[]): Refusal | null {
  return refusals.find((refusal) => refusal !== null && isRefusal(refusal)) ?? null;
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
