// The stored changes of a batch, and their form in history: forward and inverse patches with
// guards. Rule: HIS1.

import { type Op, SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Disclosure } from '../access/trash-visibility.ts';
import type { Batch, FieldsSet, LaterBatch, StoredBatch, StoredChange } from '../state/batch.ts';
import { type Change, isVisible, subjectOf, type VisibleChange } from '../state/change.ts';
import { HIDDEN_FIELDS } from './view.ts';

/** Whether a batch counts as undone, by the state of its origin (HIS5). */
export function isUndone(batch: Pick<Batch, 'reverses'>, origin: Pick<StoredBatch, 'undone'>): boolean {
  return batch.reverses ? !origin.undone : origin.undone;
}

/** The stored form of a batch's changes, in order. */
export function storedChanges(changes: readonly Change[]): StoredChange[] {
  return changes.filter(isVisible).map(storedChange);
}

function storedChange(change: VisibleChange): StoredChange {
  const { kind, op, id, before, after } = change;
  const email = change.kind === 'grant' ? { email: subjectOf(change).email } : {};
  const head = { kind, op, id, ...email, ...causeOf(change) };
  if (before === null) return { ...head, before: null, after: { ...after } };
  if (after === null) return { ...head, before: { ...before }, after: null };
  // A grant is stored with all fields, because its diff shows them all (WIRE5).
  if (change.kind === 'grant') return { ...head, before: { ...before }, after: { ...after } };
  const fields: readonly string[] = [...change.fields, 'version', 'lastEditedTime'];
  // Answers show a restored entity whole, so it is stored whole.
  if (SHOWN_IN_FULL.has(op)) return { ...head, before: pick(before, fields), after: { ...after } };
  return { ...head, before: pick(before, fields), after: pick(after, fields) };
}

function causeOf({ effect, step }: Pick<StoredChange, 'effect' | 'step'>): Pick<StoredChange, 'effect' | 'step'> {
  return { ...(effect ? { effect } : {}), ...definedFields({ step }) };
}

/** A change of an entity that was deleted since: its kind and operation, without fields (TRS5). */
export function bareChange(change: StoredChange): StoredChange {
  const { kind, op, id, before, after } = change;
  const bare = (state: StoredChange['before']) => (state === null ? null : {});
  return { kind, op, id, ...causeOf(change), before: bare(before), after: bare(after) };
}

/**
 * The changes of a stored batch, for views. Patches take the place of states, because views read
 * only the named fields.
 */
export function changesOfStored(stored: readonly StoredChange[]): VisibleChange[] {
  return stored.map((change) => {
    const { kind, op, id, before, after } = change;
    const named = Object.keys(before ?? {}).filter((field) => field !== 'version' && field !== 'lastEditedTime');
    const recalled = {
      kind,
      op,
      id,
      ...causeOf(change),
      before: before === null ? null : kind === 'grant' ? before : { ...before, id },
      after: after === null ? null : kind === 'grant' ? after : { ...after, id },
      fields: before === null || after === null ? [] : named,
    };
    return recalled as unknown as VisibleChange;
  });
}

function pick(state: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, (state as Record<string, unknown>)[field]]));
}

/** An operation in a history answer (HIS1). */
export interface HistoryOperation {
  readonly id: number;
  readonly type: Op;
  readonly entityId: string;
  readonly forwardPatch: Record<string, unknown>;
  readonly inversePatch: Record<string, unknown>;
  readonly guard: Record<string, unknown>;
  readonly createdTime: string;
}

/**
 * The operations of a batch for one reader, in order; null hides a change. Ids count the visible
 * operations from 1, so they do not reveal hidden ones. Patch fields are capitalised, and `guard`
 * is the version before.
 */
export function historyOperations(
  changes: readonly StoredChange[],
  ts: string,
  disclosureOf: (change: StoredChange) => Disclosure | null = () => 'whole',
): HistoryOperation[] {
  const operations: HistoryOperation[] = [];
  for (const change of changes) {
    const disclosure = disclosureOf(change);
    if (disclosure !== null) operations.push(historyOperation(change, { id: operations.length + 1, ts, disclosure }));
  }
  return operations;
}

function historyOperation(
  { op, id: entityId, before, after }: StoredChange,
  { id, ts, disclosure }: { id: number; ts: string; disclosure: Disclosure },
): HistoryOperation {
  const head = { id, type: op, entityId };
  if (disclosure === 'bare') return { ...head, forwardPatch: {}, inversePatch: {}, guard: {}, createdTime: ts };
  return {
    ...head,
    forwardPatch: patchOf(appliedState(before, after), disclosure),
    inversePatch: patchOf(before, disclosure),
    guard: before === null ? {} : { Version: before.version },
    createdTime: ts,
  };
}

/**
 * The fields that a change set. A restored entity is stored whole for answers, but history shows
 * only the changed fields.
 */
export function appliedState(before: StoredChange['before'], after: StoredChange['after']): StoredChange['after'] {
  return before === null || after === null ? after : pick(after, Object.keys(before));
}

/** The fields that a batch set on one entity. */
export function laterBatch(
  { id, ts, actorUsername, actorEmail, changes }: Omit<LaterBatch, 'sets'> & Pick<Batch, 'changes'>,
  entity: string,
): LaterBatch {
  const sets = changes.filter((change) => change.id === entity).map(fieldsSet);
  return { id, ts, actorUsername, actorEmail, sets };
}

/** Restored entities, publications and grants are stored with more fields than changed. */
function fieldsSet({ email, before, after }: StoredChange): FieldsSet {
  const version = Number(after?.version ?? Number(before?.version) + 1);
  const head = { ...definedFields({ email }), version };
  if (before === null || after === null) return { ...head, fields: null };
  const moved = Object.keys(before).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  // A Blocked node stores the user's status for later.
  return { ...head, fields: moved.includes('statusBefore') ? [...moved, 'status'] : moved };
}

function patchOf(state: StoredChange['after'], disclosure: Disclosure): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(state ?? {})
      .filter(([field]) => !HIDDEN_FIELDS.has(field) && (disclosure === 'whole' || field !== 'publicToken'))
      .map(([field, value]) => [field.charAt(0).toUpperCase() + field.slice(1), value]),
  );
}
