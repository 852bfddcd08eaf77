// Walks the graph step by step, with a check after each step. Once a walk turns out to be long,
// each look-up also reads nodes beyond the step, so that a chain of 20,000 nodes does not need as
// many queries.

/** Steps that are looked up one by one; most walks are no longer. */
const STEPS_ALONE = 8;
/** Maximum nodes of a step that reads ahead; a larger step is worth a query of its own. */
const FEW = 16;
/** Maximum nodes read ahead of a step. */
export const NODES_AHEAD = 2_000;
/** Steps that a statement reads ahead. */
export const STEPS_AHEAD = 256;
/** Maximum ids of one statement. */
const IDS_AT_ONCE = 2_000;

export interface StepQueries<T> {
  /** The nodes of these ids. */
  readonly here: (ids: readonly string[]) => Promise<readonly T[]>;
  /** Like `here`, with nodes beyond them, at most `NODES_AHEAD`. */
  readonly ahead: (ids: readonly string[]) => Promise<readonly T[]>;
}

/** Looks up the nodes of successive steps; missing ones are omitted. */
export function createStepLookup<T extends { readonly id: string }>({ here, ahead }: StepQueries<T>) {
  const known = new Map<string, T>();
  let steps = 0;
  return async (ids: readonly string[]): Promise<ReadonlyMap<string, T>> => {
    steps++;
    const isLong = steps > STEPS_ALONE && ids.length <= FEW;
    const missing = ids.filter((id) => !known.has(id));
    for (let start = 0; start < missing.length; start += IDS_AT_ONCE) {
      const some = missing.slice(start, start + IDS_AT_ONCE);
      for (const node of isLong ? await ahead(some) : await here(some)) known.set(node.id, node);
      // The result may be cut, but must contain the step itself.
      const left = isLong ? some.filter((id) => !known.has(id)) : [];
      if (left.length > 0) for (const node of await here(left)) known.set(node.id, node);
    }
    const found = new Map<string, T>();
    for (const id of ids) {
      const node = known.get(id);
      if (node !== undefined) found.set(id, node);
      known.delete(id);
    }
    return found;
  };
}
