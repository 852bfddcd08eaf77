// Walks over the graph, a step at a time, each of which is judged before the next: what lies further on is looked up together with a step where a
// walk turns out to be long, so that one over 20,000 nodes in a row does not cost as many questions.

/** Steps of a walk that are looked up one by one: most walks are no longer. */
const STEPS_ALONE = 8;
/** Most nodes of a step with which what lies further on is looked up: from many there is enough to look up in one step. */
const FEW = 16;
/** Most nodes that are looked up with a step beyond it. */
export const NODES_AHEAD = 2_000;
/** In a statement: how far ahead of a step is looked. */
export const STEPS_AHEAD = 256;
/** Most ids of one statement. */
const IDS_AT_ONCE = 2_000;

export interface Looking<T> {
  /** The nodes of these ids. */
  readonly here: (ids: readonly string[]) => Promise<readonly T[]>;
  /** The same with nodes beyond them, at most `NODES_AHEAD` of these. */
  readonly ahead: (ids: readonly string[]) => Promise<readonly T[]>;
}

/** Looks up the nodes of one step after another; those that don't exist are left out. */
export function lookAlong<T extends { readonly id: string }>({ here, ahead }: Looking<T>) {
  const known = new Map<string, T>();
  let steps = 0;
  return async (ids: readonly string[]): Promise<ReadonlyMap<string, T>> => {
    steps++;
    const isLong = steps > STEPS_ALONE && ids.length <= FEW;
    const missing = ids.filter((id) => !known.has(id));
    for (let start = 0; start < missing.length; start += IDS_AT_ONCE) {
      const some = missing.slice(start, start + IDS_AT_ONCE);
      for (const node of isLong ? await ahead(some) : await here(some)) known.set(node.id, node);
      // There may be more ahead than is given: the step itself must be there.
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
