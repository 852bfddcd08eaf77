// Changes of a batch with the values from before all of it, where earlier operations of the same batch had set them already: tried where the values in
// between can't come back. Rule: HIS10.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { entityKey, FORM, fieldsSet, isSame, PRESENCE, statusByHand } from './fields.ts';

/** By change; null where it is left to the earlier one to say whether the entity is there. No entry for what changes no such value. */
export type NetReversals = ReadonlyMap<StoredChange, StoredChange | null>;

/** The values of one entity before the batch, of the fields that its changes so far have set; null where the batch made it. */
type InitialValues = Record<string, unknown> | null;

/** For the changes of a batch that the command itself made, in their order. */
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
  // The end of a grant is taken back with all its terms, and what was in the trash before goes back there in the form that it has.
  const isPlacedBefore = fields.includes(PRESENCE) || kind === 'grant' || initial[PRESENCE] === true;
  if (PRESENCE in initial && isPlacedBefore) return null;
  // A link that comes back does so in one form.
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
