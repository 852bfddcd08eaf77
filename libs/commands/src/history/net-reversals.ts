// Changes of a batch with the values from before the batch, for fields that earlier operations of
// it had set. They serve where an intermediate value cannot be restored. Rule: HIS10.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { entityKey, FORM, fieldsSet, isSame, PRESENCE, statusByHand } from './fields.ts';

/**
 * By change; null if the earlier change decides about the entity's presence. Changes without such
 * values have no entry.
 */
export type NetReversals = ReadonlyMap<StoredChange, StoredChange | null>;

/**
 * The values of one entity before the batch, for the fields set so far; null if the batch created
 * it.
 */
type InitialValues = Record<string, unknown> | null;

/** For the changes of a batch that the command itself made, in order. */
export function netReversals(changes: readonly StoredChange[]): NetReversals {
  const net = new Map<StoredChange, StoredChange | null>();
  const initialValues = new Map<string, InitialValues>();
  for (const change of changes) {
    if (change.effect === true) continue;
    const key = entityKey(change);
    const initial = initialValues.get(key);
    if (initial !== undefined) {
      const replacement = withInitialValues(change, initial);
      if (replacement !== change) net.set(change, replacement);
    }
    initialValues.set(key, initialValuesAfter(initial, change));
  }
  return net;
}

function withInitialValues(change: StoredChange, initial: InitialValues): StoredChange | null {
  const fields = fieldsSet(change);
  const { kind, before } = change;
  if (initial === null || before === null) return null;
  // A grant that ended is restored with all its terms, and an entity that was trashed before the
  // batch returns to the trash in its current form.
  const isPlacedBefore = fields.includes(PRESENCE) || kind === 'grant' || initial[PRESENCE] === true;
  if (PRESENCE in initial && isPlacedBefore) return null;
  // A restored link needs all fields of its form.
  const wanted = kind === 'link' ? [...fields, ...FORM] : fields;
  const values = Object.fromEntries(wanted.filter((field) => field in initial).map((field) => [field, initial[field]]));
  const differs = Object.entries(values).some(([field, value]) => !isSame(before[field], value));
  return differs ? { ...change, before: { ...before, ...values } } : change;
}

function initialValuesAfter(initial: InitialValues | undefined, change: StoredChange): InitialValues {
  const { before } = change;
  if (initial === null || (initial === undefined && before === null)) return null;
  const set = fieldsSet(change).map((field) => [
    field,
    field === 'status' ? statusByHand(before ?? {}) : before?.[field],
  ]);
  return { ...Object.fromEntries(set), ...initial };
}
