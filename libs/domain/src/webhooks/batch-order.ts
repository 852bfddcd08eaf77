// The batches of several feeds in one order: a batch follows every batch that precedes it in any of
// the feeds. Pure. Rule: HOOK6.

/** The number of a batch's slice in one feed. */
export interface SlicePlace {
  readonly feed: string;
  readonly seq: number;
  readonly batch: string;
}

/** A batch with the numbers of its slices. */
export interface PlacedBatch<T extends SlicePlace> {
  readonly batch: string;
  readonly places: readonly T[];
}

/**
 * The batches in order, as far as they are known to be complete. `places` are sorted by time, and
 * those of one feed by number. `since` has the number before the first one of each feed. Batches of
 * which a place is unknown, and those that follow one in a feed, are left out.
 */
export function orderBatches<T extends SlicePlace>(
  places: readonly T[],
  since: ReadonlyMap<string, number>,
  isComplete: (batch: string) => boolean,
): PlacedBatch<T>[] {
  const byBatch = new Map<string, T[]>();
  for (const place of places) {
    const others = byBatch.get(place.batch);
    if (others === undefined) byBatch.set(place.batch, [place]);
    else others.push(place);
  }
  const reached = new Map(since);
  const isNext = ({ feed, seq }: T) => reached.get(feed) === seq - 1;
  const ordered: PlacedBatch<T>[] = [];
  const take = (batch: string) => {
    const own = byBatch.get(batch);
    if (own === undefined || !isComplete(batch) || !own.every(isNext)) return false;
    for (const { feed, seq } of own) reached.set(feed, seq);
    byBatch.delete(batch);
    ordered.push({ batch, places: own });
    return true;
  };
  // A batch of the same time may be listed before its predecessor: then it waits for the next round.
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const batch of [...byBatch.keys()]) if (take(batch)) isMoving = true;
  }
  return ordered;
}
