// Changes of a batch with the values from before all of it, where earlier operations of the same batch had set them already: tried where the values in
// between can't come back. Rule: HIS10.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { entityKey, FORM, fieldsSet, isSame, PRESENCE, statusByHand } from './fields.ts';

/** By change; null where it is left to the earlier one to say whether the entity is there. No entry for what changes no such value. */
export type NetChanges = ReadonlyMap<StoredChange, StoredChange | null>;

/** The values of one entity before the batch, of the fields that its changes so far have set; null where the batch made it. */
type Former = Record<string, unknown> | null;

/** For the changes of a batch that the command itself made, in their order. */
export function netChanges(changes: readonly StoredChange[]): NetChanges {
  const net = new Map<StoredChange, StoredChange | null>();
  const all = new Map<string, Former>();
  for (const change of changes) {
    if (change.effect === true) continue;
    const key = entityKey(change);
    const former = all.get(key);
    if (former !== undefined) {
      const instead = withFormer(change, former);
      if (instead !== change) net.set(change, instead);
    }
    all.set(key, formerAfter(former, change));
  }
  return net;
}

function withFormer(change: StoredChange, former: Former): StoredChange | null {
  const fields = fieldsSet(change);
  const { kind, before } = change;
  if (former === null || before === null) return null;
  // The end of a grant is taken back with all its terms, and what was in the trash before goes back there in the form that it has.
  const placed = fields.includes(PRESENCE) || kind === 'grant' || former[PRESENCE] === true;
  if (PRESENCE in former && placed) return null;
  // A link that comes back does so in one form.
  const wanted = kind === 'link' ? [...fields, ...FORM] : fields;
  const values = Object.fromEntries(wanted.filter((field) => field in former).map((field) => [field, former[field]]));
  const differs = Object.entries(values).some(([field, value]) => !isSame(before[field], value));
  return differs ? { ...change, before: { ...before, ...values } } : change;
}

function formerAfter(former: Former | undefined, change: StoredChange): Former {
  const { before } = change;
  if (former === null || (former === undefined && before === null)) return null;
  const set = fieldsSet(change).map((field) => [
    field,
    field === 'status' ? statusByHand(before ?? {}) : before?.[field],
  ]);
  return { ...Object.fromEntries(set), ...former };
}
