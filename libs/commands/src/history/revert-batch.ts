// Undo and redo. Each change that a command itself made is reverted by the rules of the command
// with the same effect; side effects are recomputed. Rules: HIS2 to HIS6, BAT5, BLK3, SCOPE2.

import type { Draft } from '@taskgraph/domain/decision/draft';
import { requireStored } from '@taskgraph/domain/decision/preload';
import { type RestoredStatus, recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { isUndone } from '@taskgraph/domain/views/history';
import { Op, Status } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { refuseMissingScopes } from '@taskgraph/wire/scopes';
import type { Decision, DecisionContext, Steps } from '../define-command.ts';
import { callerOf } from '../rules/caller.ts';
import { isDisclosed } from '../rules/caller-visibility.ts';
import { namedConflicts } from './conflict-names.ts';
import { conflictsWith } from './conflicts.ts';
import { netReversals } from './net-reversals.ts';
import { type Reversal, type RevertContext, withFallback } from './reversal.ts';
import { grantReversal, restoreCopies } from './reversals-of-grants.ts';
import { linkReversal } from './reversals-of-links.ts';
import { nodeReversal } from './reversals-of-nodes.ts';
import { scopesOfChanges } from './scopes-of-changes.ts';

type Kind = 'undo' | 'redo';

/**
 * Decides an undo or redo. The steps of the batch are reverted separately, the last one first
 * (BAT5).
 *
 * Order of checks: visibility of the batch (404), permission for the first step (403), whether the
 * batch is undone, conflicts with later changes (409). Then for each step: permission and other
 * obstacles, and last the scopes of the token: they depend on the changes that the revert makes.
 */
export function revertBatch(steps: Steps, batchId: string, kind: Kind, context: DecisionContext): Decision {
  const plan = steps.read((draft) => planRevert({ draft, caller: callerOf(draft, context), context, kind }, batchId));
  if (isRefusal(plan)) return plan;
  const { batch, origin } = plan;
  const reverses = kind === 'undo' ? !batch.reverses : batch.reverses;
  const skipped: string[] = [];
  const contextOf = (draft: Draft, part: Part): RevertContext => ({
    draft,
    caller: callerOf(draft, context),
    context,
    ...part,
  });
  const refusal =
    steps.takeEach(CHECKS, (check) => steps.read((draft) => check((part) => contextOf(draft, part), plan))) ??
    steps.takeEach(plan.parts, (part, index) => {
      const step = steps.take((draft) => {
        if (index === 0) draft.record({ kind: 'undone', id: origin.id, undone: reverses, last: context.batchId });
        return revertPart(contextOf(draft, part));
      });
      if (isRefusal(step)) return step;
      skipped.push(...(step.decision?.skipped ?? []));
      return refuseMissingScopes(scopesOfChanges(step.changes), context.scopes);
    });
  return refusal ?? { skipped, undo: { kind, batchId, origin: origin.id, reverses } };
}

type Part = Pick<RevertContext, 'batch' | 'kind' | 'net'>;

/** The named batch, its origin, and the parts to revert. */
interface RevertPlan {
  readonly batch: StoredBatch;
  readonly origin: StoredBatch;
  /** The batch as a whole. */
  readonly whole: Part;
  /** The steps, in the order in which they are reverted. */
  readonly parts: readonly Part[];
  /** The kind that the command names. */
  readonly kind: Kind;
}

function planRevert(request: Omit<RevertContext, 'batch'>, batchId: string): RevertPlan | Refusal {
  const { draft, kind } = request;
  const batch = draft.batch(batchId);
  if (batch === null) return notFound(batchId);
  const origin = draft.batch(batch.origin) ?? batch;
  requireStored(draft.world, batch.changes);
  const context = { ...request, batch };
  if (!batch.changes.some((change) => isDisclosed(context, change))) return notFound(batchId);
  const whole = wholeRevert(context, origin);
  return { batch, origin, kind, whole, parts: partsOf(whole) };
}

/** The changes of each step. An undo reverts the last step first. */
function partsOf({ batch, kind }: Part): RevertPlan['parts'] {
  const byStep = new Map<number, StoredChange[]>();
  for (const change of batch.changes) {
    const { step = 0 } = change;
    const part = byStep.get(step);
    if (part) part.push(change);
    else byStep.set(step, [change]);
  }
  // An undo without changes can be undone too, which changes only the state of its origin (HIS5).
  if (byStep.size === 0) byStep.set(0, []);
  const net = byStep.size > 1 && kind === 'undo' ? { net: netReversals(batch.changes) } : {};
  const parts = [...byStep.values()].map((changes) => ({ batch: { ...batch, changes }, kind, ...net }));
  return kind === 'undo' ? parts.reverse() : parts;
}

/** A check before any reversal. */
type Check = (contextOf: (part: Part) => RevertContext, plan: RevertPlan) => Refusal | null;

/** In order. */
const CHECKS: readonly Check[] = [
  (contextOf, { whole, parts: [first = whole] }) => {
    const revert = contextOf(first);
    return firstRefusal(revert, judgedChanges(revert), ({ forbids }) => forbids);
  },
  (contextOf, plan) => refuseState(contextOf(plan.whole), plan),
  (contextOf, { whole }) => refuseConflicts(contextOf(whole)),
];

interface JudgedChange {
  readonly change: StoredChange;
  readonly reversal: Reversal;
}

function judgedChanges(revert: RevertContext): JudgedChange[] {
  return ownChanges(revert).map((change) => ({ change, reversal: reversalOf(revert, change) }));
}

function revertPart(revert: RevertContext): Decision {
  const { draft } = revert;
  const all = judgedChanges(revert);
  const refusal =
    firstRefusal(revert, all, ({ forbids }) => forbids) ?? firstRefusal(revert, all, ({ problem }) => problem);
  if (refusal !== null) return refusal;
  const reversals = all.map(({ reversal }) => reversal);
  for (const { apply } of reversals) {
    const problem = apply();
    if (problem !== null) return problem;
  }
  draft.asEffect(() => restoreCopies(revert));
  recomputeStatuses(draft, exactStatuses(revert));
  return { skipped: reversals.flatMap(({ skipped }) => skipped()) };
}

/**
 * A redo reverts the latest undo: its result must be unchanged, and the removed values return. A
 * batch that is not undone is refused later; the code depends on the batch.
 */
function wholeRevert(context: RevertContext, origin: StoredBatch): RevertContext {
  if (context.kind === 'undo' || !isUndone(context.batch, origin) || origin.last === null) return context;
  const latest = context.draft.batch(origin.last);
  if (latest === null) throw new Error(`batch ${origin.last} undid another and does not exist`);
  requireStored(context.draft.world, latest.changes);
  return { ...context, batch: latest, kind: 'undo' };
}

function notFound(batchId: string): Refusal {
  return refuse('not_found', 'There is no such batch.', { batchId });
}

/** The command's own changes, in the order of reversal. */
function ownChanges({ batch, kind }: RevertContext): StoredChange[] {
  const own = batch.changes.filter(({ effect }) => effect !== true);
  return kind === 'undo' ? own.reverse() : own;
}

function reversalOf(revert: RevertContext, change: StoredChange): Reversal {
  const net = revert.net?.get(change);
  if (net === undefined) return exactReversal(revert, change);
  return withFallback(exactReversal(revert, change), () => (net === null ? null : exactReversal(revert, net)));
}

function exactReversal(revert: RevertContext, change: StoredChange): Reversal {
  if (change.kind === 'node') return nodeReversal(revert, change);
  return change.kind === 'link' ? linkReversal(revert, change) : grantReversal(revert, change);
}

function refuseState(revert: RevertContext, { batch, origin, kind }: RevertPlan): Refusal | null {
  const undone = isUndone(batch, origin);
  if (kind === 'undo' && undone) {
    const by = lastVisibleRevert(revert, origin);
    return refuse('conflict.already_undone', 'The batch is already undone.', {
      batchId: batch.id,
      ...(by === null ? {} : { by }),
    });
  }
  if (kind === 'redo' && !undone) {
    return refuse('conflict.not_undone', 'The batch is not undone.', { batchId: batch.id });
  }
  return null;
}

/** The id of the latest undo or redo, if the caller may learn of it (HIS7). */
function lastVisibleRevert(revert: RevertContext, { last }: StoredBatch): string | null {
  const batch = last === null ? null : revert.draft.batch(last);
  if (batch === null) return null;
  requireStored(revert.draft.world, batch.changes);
  return batch.changes.some((change) => isDisclosed(revert, change)) ? batch.id : null;
}

/** Most conflicts of a refusal. */
const MOST_CONFLICTS = 500;

/**
 * Reports all conflicts of the batch together (WHY4). Conflicts of invisible entities become one
 * hidden entry.
 */
function refuseConflicts(revert: RevertContext): Refusal | null {
  const { draft, batch } = revert;
  const all = conflictsWith(draft, batch);
  if (all.length === 0) return null;
  const visible = all.filter(({ change }) => isDisclosed(revert, change));
  const hidden = visible.length < all.length ? [{ hidden: true }] : [];
  const conflicts = visible.flatMap((entity) => entity.conflicts);
  const named = conflicts.slice(0, MOST_CONFLICTS - hidden.length);
  return refuse('version_conflict', 'Fields that the batch set have changed since.', {
    conflicts: [...namedConflicts(draft, batch, named), ...hidden],
    ...(named.length < conflicts.length ? { truncated: true } : {}),
  });
}

/**
 * The first refusal. One about a visible entity takes precedence; one about an invisible entity is
 * hidden.
 */
function firstRefusal(
  revert: RevertContext,
  all: readonly JudgedChange[],
  refusalOf: (reversal: Reversal) => Refusal | null,
): Refusal | null {
  const first = all.map(({ reversal }) => refusalOf(reversal)).find((refusal) => refusal !== null);
  if (first === undefined || first === null) return null;
  const seen = all
    .filter(({ reversal }) => refusalOf(reversal)?.code === first.code)
    .find(({ change }) => isDisclosed(revert, change));
  return seen === undefined ? { ...first, details: { hidden: true } } : refusalOf(seen.reversal);
}

/**
 * The statuses that side effects of the batch ended. They are restored if they are possible again
 * (BLK3), with the recorded times of completion (BLK11).
 */
function exactStatuses({ batch, kind }: RevertContext): ReadonlyMap<string, RestoredStatus> {
  const exact = new Map<string, RestoredStatus>();
  for (const { op, effect, id, before, after } of batch.changes) {
    if (op !== Op.NODE_STATUS || !effect) continue;
    const { status, completedTime = null } = (kind === 'undo' ? before : after) ?? {};
    if (typeof status === 'number' && status !== Status.BLOCKED && !(kind === 'undo' && exact.has(id))) {
      exact.set(id, { status: status as Status, completedTime: completedTime as string | null });
    }
  }
  return exact;
}
