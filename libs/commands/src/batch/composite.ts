// The operations of a composite with their commands. Rules: BAT2, BAT3.
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { BatchOperation } from '@taskgraph/wire/operations/batch-parser';
import type { AnyDefinition } from '../pipeline/command.ts';

/** An operation of a composite, with its command. */
export interface CompositeOperation extends BatchOperation {
  readonly definition: AnyDefinition;
}

/**
 * The payload with the ids of created entities; null if it names an entity that was not created.
 */
export function withIds(
  { payload, named }: Pick<BatchOperation, 'payload' | 'named'>,
  createdIds: ReadonlyMap<string, string>,
): Record<string, unknown> | null {
  const real: Record<string, unknown> = { ...payload };
  for (const [field, id] of Object.entries(named)) {
    if (!createdIds.has(id)) return null;
    real[field] = createdIds.get(id);
  }
  return real;
}

/**
 * The read sets of all operations, without entities that other operations create. An earlier
 * operation may add links to a path, so the whole walk is loaded.
 */
export function readSetOfAll(operations: readonly CompositeOperation[]): ReadSet {
  const standIns = new Set(operations.flatMap(({ named }) => Object.values(named)));
  const isStandIn = (id: string) => standIns.has(id);
  const { paths = [], ...merged } = mergeReadSets(
    operations.map(({ definition, payload }) => definition.readSet(payload)),
  );
  const walked = { ...merged, closuresOf: [...(merged.closuresOf ?? []), ...paths.map(({ from }) => from)] };
  const stored = Object.entries(walked).map(([kind, items]) => [
    kind,
    [...new Map(items.filter((item) => !names(item, isStandIn)).map((item) => [JSON.stringify(item), item])).values()],
  ]);
  return Object.fromEntries(stored) as ReadSet;
}

/**
 * Whether an item of a read set names an entity that does not exist yet. A grant's key begins with
 * its node's id.
 */
function names(item: unknown, isStandIn: (id: string) => boolean): boolean {
  if (typeof item === 'string') return isStandIn(item) || isStandIn(item.slice(0, item.indexOf('|')));
  return Object.values(item as object).some((value) => typeof value === 'string' && isStandIn(value));
}
