// Whether the values that a batch set are still current (HIS2).
import { Op, Status } from '@taskgraph/wire/codes';
import { findGrant, findLink, findNode } from '../draft.ts';
import type { ModelBatch, ModelGrant, ModelLink, ModelNode, ModelOp, ModelState } from '../state.ts';

/** A field that was changed later, with the batch and actor of that change. */
export interface Conflict {
  readonly entity: string;
  readonly field: string;
  /** Only of a grant; its entity is its node. */
  readonly email?: string;
  readonly batchId: string;
  readonly actor: { readonly username: string; readonly email: string };
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that no command sets directly: they derive from others, or count or date changes. */
const DERIVED: ReadonlySet<string> = new Set([
  'id',
  'ownerId',
  'version',
  'createdTime',
  'lastEditedTime',
  'statusBefore',
  'completedTime',
  'claimedBy',
  'claimUntil',
  'claimerId',
  'claimAssigned',
  'wasBlocker',
  'mayConvey',
  'marked',
  'unmarkedTime',
  'trashedBy',
  'showing',
  'copyOf',
]);

/** Fields that adding leaves to commands of other kinds. */
const NOT_ADDED: ReadonlySet<string> = new Set(['claimId', 'lastBatchID', 'publicToken', 'publicDue', 'publicBranch']);

/**
 * The batch whose values must be current. Entities that its own undos and redos trashed count as
 * trashed by the batch.
 */
interface RevertedBatch {
  readonly standing: ModelBatch;
  /** Ids of the requested batch and of its undos and redos. */
  readonly kin: ReadonlySet<string>;
}

/** The conflicts with one entity, by the last step of the command itself on it. */
interface EntityConflicts {
  readonly op: ModelOp;
  readonly conflicts: readonly Conflict[];
}

/**
 * The fields that the commands of a batch set and that have changed since. Rules: HIS2, HIS10,
 * BAT5.
 *
 * HIS2: adding sets all writable fields of the new entity, so a later edit conflicts with its undo.
 * HIS2: a derived Blocked never conflicts. HIS2: a conflict has the form `{entity, field, batchId,
 * actor}`, with `email` for a grant.
 */
export function conflictsOf(state: ModelState, turned: RevertedBatch): EntityConflicts[] {
  const own = turned.standing.ops.filter(({ effect }) => !effect);
  const last = own.filter((op, at) => !own.slice(at + 1).some((other) => isOfOne(op, other)));
  const all = last.map((op) => ({
    op,
    conflicts: fieldsOff(state, turned, op).map((field) => conflict(state, turned.standing, op, field)),
  }));
  return all.filter(({ conflicts }) => conflicts.length > 0);
}

/** Whether two steps are on one entity. */
export function isOfOne(one: ModelOp, other: ModelOp): boolean {
  return one.kind === other.kind && one.id === other.id && emailOf(one) === emailOf(other);
}

function emailOf({ kind, before, after }: ModelOp): string {
  return kind === 'grant' ? ((after ?? before) as ModelGrant).email : '';
}

function fieldsOff(state: ModelState, { standing, kin }: RevertedBatch, op: ModelOp): string[] {
  const ops = standing.ops.filter((other) => isOfOne(op, other));
  // Side effects of the batch's own commands count as its values.
  const put = ops.at(-1)!.after;
  const present = presentOf(state, op);
  // A grant ended with its node; the undo is refused because of the node.
  if (op.kind === 'grant' && findNode(state, op.id) === undefined) return [];
  if (op.kind === 'grant' && (put === null || present === undefined)) {
    return (put === null) === (present === undefined) ? [] : ['grant'];
  }
  // An undo on a permanently deleted entity is refused elsewhere.
  if (put === null || present === undefined) return [];
  const own = ops.filter(({ effect }) => !effect);
  const fields = [...new Set(own.flatMap(fieldsPut))];
  const trashes = own.findLast((one) => fieldsPut(one).includes('inTrash'))?.after as ModelLink | ModelNode | undefined;
  const [left, now]: Fields[] = [{ ...put }, { ...present }];
  return fields.filter((field) => {
    if (field === 'status') return statusByHand(left!) !== statusByHand(now!);
    if (field === 'lastBatchID') return trashes!.inTrash && !kin.has(now!.lastBatchID as string);
    if (field === 'inTrash' && trashes!.inTrash) return !now!.inTrash;
    // A link that its own operations left in the trash, without having trashed it, may be active or
    // not.
    if (field === 'inTrash') return now!.inTrash && !left!.inTrash;
    return !same(left![field], now![field]);
  });
}

function presentOf(state: ModelState, op: ModelOp) {
  if (op.kind === 'node') return findNode(state, op.id);
  if (op.kind === 'link') return findLink(state, op.id);
  return findGrant(state, op.id, emailOf(op));
}

/** The fields that a step set, without the derived ones. */
export function fieldsPut(op: ModelOp): string[] {
  const before: Fields = { ...op.before };
  const after: Fields = { ...op.after };
  const names = Object.keys({ ...before, ...after }).filter((name) => !DERIVED.has(name));
  if (op.before === null || op.after === null) return names.filter((name) => !NOT_ADDED.has(name));
  // On a Blocked node only the status that is stored for later changes.
  if (op.op === Op.NODE_STATUS) return same(before.claimId, after.claimId) ? ['status'] : ['status', 'claimId'];
  const changed = names.filter((name) => !same(before[name], after[name]));
  // The trash makes a claimed node Available, if it is Blocked for later.
  const isStoredForLater = !changed.includes('status') && !same(before.statusBefore, after.statusBefore);
  return isStoredForLater ? [...changed, 'status'] : changed;
}

/** The user's status: on a Blocked node the one that is stored for later. Rules: BLK3. */
export function statusByHand({ status, statusBefore }: Fields): unknown {
  return status === Status.BLOCKED ? statusBefore : status;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Names the last later batch that changed the field. */
function conflict(state: ModelState, standing: ModelBatch, op: ModelOp, field: string): Conflict {
  const later = state.batches.slice(state.batches.indexOf(standing) + 1);
  const culprit = later.findLast((batch) => batch.ops.some((other) => touches(other, op, field))) ?? standing;
  const { username, email } = culprit.actor;
  const whose = op.kind === 'grant' ? { email: ((op.after ?? op.before) as ModelGrant).email } : {};
  return { entity: op.id, field, ...whose, batchId: culprit.id, actor: { username, email } };
}

function touches(other: ModelOp, op: ModelOp, field: string): boolean {
  if (other.kind !== op.kind || other.id !== op.id) return false;
  const before: Fields = { ...other.before };
  const after: Fields = { ...other.after };
  if (op.kind === 'grant' && (before.email ?? after.email) !== ((op.before ?? op.after) as ModelGrant).email)
    return false;
  if (field === 'grant') return (other.before === null) !== (other.after === null);
  return !same(before[field], after[field]);
}
