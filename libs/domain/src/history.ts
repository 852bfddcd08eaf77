// What a batch keeps of its changes, and how history shows them: forward and inverse patches with guards. Rule: HIS1.
import { type Op, SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import { type Change, isVisible, type VisibleChange } from './change.ts';
import { HIDDEN_FIELDS } from './view.ts';

/** One stored version step. Patches hold the changed fields of the stored form; the whole entity where it was created. */
export interface StoredChange {
  readonly op: Op;
  readonly kind: 'node' | 'link';
  readonly id: string;
  /** Null where the entity did not exist before. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null where it was deleted for good. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The stored form of a batch's changes, in their order. */
export function storedChanges(changes: readonly Change[]): StoredChange[] {
  return changes.filter(isVisible).map(storedChange);
}

function storedChange(change: VisibleChange): StoredChange {
  const { kind, op, id } = change;
  if (change.before === null) return { kind, op, id, before: null, after: { ...change.after } };
  if (change.after === null) return { kind, op, id, before: { ...change.before }, after: null };
  const fields: readonly string[] = [...change.fields, 'version', 'lastEditedTime'];
  // Answers show a restored entity whole, so that a stored answer must hold it whole.
  if (SHOWN_IN_FULL.has(op)) return { kind, op, id, before: pick(change.before, fields), after: { ...change.after } };
  return { kind, op, id, before: pick(change.before, fields), after: pick(change.after, fields) };
}

/** The changes of a stored batch, for viewing again. Patches stand where states would: a view reads only the fields named. */
export function recalledChanges(stored: readonly StoredChange[]): VisibleChange[] {
  return stored.map(({ kind, op, id, before, after }) => {
    const named = Object.keys(before ?? {}).filter((field) => field !== 'version' && field !== 'lastEditedTime');
    const recalled = {
      kind,
      op,
      id,
      before: before === null ? null : { ...before, id },
      after: after === null ? null : { ...after, id },
      fields: before === null || after === null ? [] : named,
    };
    return recalled as unknown as VisibleChange;
  });
}

function pick(state: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, (state as Record<string, unknown>)[field]]));
}

/** An operation as the history endpoints list it (interface document, "History batch"). */
export interface HistoryOperation {
  readonly id: number;
  readonly type: Op;
  readonly entityId: string;
  readonly forwardPatch: Record<string, unknown>;
  readonly inversePatch: Record<string, unknown>;
  readonly guard: Record<string, unknown>;
  readonly createdTime: string;
}

/** The operations of a batch, in order; ids count from 1 within it. Patch fields are capitalised, `guard` is the version before. */
export function historyOperations(changes: readonly StoredChange[], ts: string): HistoryOperation[] {
  return changes.map((change, index) => ({
    id: index + 1,
    type: change.op,
    entityId: change.id,
    forwardPatch: capitalised(change.after ?? {}),
    inversePatch: capitalised(change.before ?? {}),
    guard: change.before === null ? {} : { Version: change.before.version },
    createdTime: ts,
  }));
}

function capitalised(patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(patch)
      .filter(([field]) => !HIDDEN_FIELDS.has(field))
      .map(([field, value]) => [field.charAt(0).toUpperCase() + field.slice(1), value]),
  );
}
