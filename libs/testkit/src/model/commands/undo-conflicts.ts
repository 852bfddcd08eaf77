// Whether the values that a batch put are still there (HIS2).
import { Op, Status } from '@taskgraph/wire/codes';
import { findGrant, findLink, findNode } from '../draft.ts';
import type { ModelBatch, ModelGrant, ModelLink, ModelOp, ModelState } from '../state.ts';

/** A field that somebody changed since: which, and by which batch of whom. */
export interface Conflict {
  readonly entity: string;
  readonly field: string;
  /** Of a grant, whose entity is its node. */
  readonly email?: string;
  readonly batchId: string;
  readonly actor: { readonly username: string; readonly email: string };
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that no command sets as such: each follows from others, or says only when and how often something changed. */
const DERIVED: ReadonlySet<string> = new Set([
  'id',
  'ownerId',
  'version',
  'createdTime',
  'lastEditedTime',
  'statusBefore',
  'wasBlocker',
  'mayConvey',
  'marked',
  'unmarkedTime',
  'trashedBy',
  'showing',
  'copyOf',
]);

/** Fields that adding leaves to commands of other kinds. */
const NOT_ADDED: ReadonlySet<string> = new Set(['lastBatchID', 'publicToken', 'publicDue', 'publicBranch']);

/** The batch whose values must hold. Things that its own undos and redos put in the trash count as put there by itself. */
interface Turned {
  readonly standing: ModelBatch;
  /** Its steps, or, of a composite, those of one operation (BAT5). */
  readonly ops: readonly ModelOp[];
  /** Ids of the batch that was asked for and of its undos and redos. */
  readonly kin: ReadonlySet<string>;
  /** Of a composite alone. */
  readonly held?: Held;
}

/**
 * The fields of a step that no longer hold what it put there. Rules: HIS2.
 *
 * HIS2: adding sets all the writable fields of what it adds, so that a later edit stands in the way of its undo. HIS2: a derived Blocked
 * never does. HIS2: a conflict's form is `{entity, field, batchId, actor}`, and `email` of a grant's.
 */
export function conflictsOf(state: ModelState, { standing, ops, kin, held }: Turned, op: ModelOp): Conflict[] {
  const present = presentOf(state, op);
  if (present === undefined || op.after === null) {
    // A grant was taken away or made since; what else is missing was judged before.
    return (present === undefined) === (op.after === null) ? [] : [conflict(state, standing, op, 'grant')];
  }
  // An effect of the command in its own batch is no change by others.
  const last = ops.findLast((one) => one.kind === op.kind && one.id === op.id && one.after !== null);
  const put: Fields = op.kind === 'grant' ? { ...op.after } : { ...last?.after };
  const now: Fields = { ...present };
  const isStatusHeld = () => (held === undefined ? statusByHand(put) === statusByHand(now) : held.statuses.has(op.id));
  return fieldsPut(op)
    .filter((field) => (field === 'status' ? !isStatusHeld() : !same(put[field], now[field])))
    .filter(
      (field) => field !== 'inTrash' || put.inTrash === true || held?.trashed.has(op.id) !== true || isReshaped(op),
    )
    .filter((field) => field !== 'lastBatchID' || !kin.has(now.lastBatchID as string))
    .map((field) => conflict(state, standing, op, field));
}

/** The state that a composite left, as far as it holds before any of it is turned back. Rules: BAT5. */
export interface Held {
  readonly statuses: ReadonlySet<string>;
  /** Links in the trash. */
  readonly trashed: ReadonlySet<string>;
}

export function heldOf(state: ModelState, { ops }: ModelBatch): Held {
  const left = [...new Map(ops.map((op) => [`${op.kind} ${op.id}`, op])).values()].filter(
    ({ after }) => after !== null,
  );
  const hand = (node: object | null | undefined) => statusByHand({ ...node });
  const nodes = left.filter(({ kind, id, after }) => kind === 'node' && hand(after) === hand(findNode(state, id)));
  const links = left.filter(
    ({ kind, id, after }) => kind === 'link' && (after as ModelLink).inTrash && findLink(state, id)?.inTrash,
  );
  return { statuses: new Set(nodes.map(({ id }) => id)), trashed: new Set(links.map(({ id }) => id)) };
}

function presentOf(state: ModelState, op: ModelOp) {
  if (op.kind === 'node') return findNode(state, op.id);
  if (op.kind === 'link') return findLink(state, op.id);
  return findGrant(state, op.id, ((op.after ?? op.before) as ModelGrant).email);
}

/** Whether a link came back in another form than it had in the trash. */
function isReshaped({ before, after }: ModelOp): boolean {
  const [was, is]: Fields[] = [{ ...before }, { ...after }];
  return before !== null && ['source', 'target', 'type', 'private'].some((field) => !same(was?.[field], is?.[field]));
}

/** The fields that a step put, DERIVED ones aside. */
function fieldsPut(op: ModelOp): string[] {
  const before: Fields = { ...op.before };
  const after: Fields = { ...op.after };
  const names = Object.keys(after).filter((name) => !DERIVED.has(name));
  if (op.before === null) return names.filter((name) => !NOT_ADDED.has(name));
  // Of a Blocked node only the status that is kept for later moves.
  if (op.op === Op.NODE_STATUS) return ['status'];
  return names.filter((name) => !same(before[name], after[name]));
}

/** The status that people gave: of a Blocked node the one that is kept for later. Rules: BLK3. */
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
