// The entities that slices behind a gap remove. An earlier slice must not bring them back.
import { isRemoval, joinSteps } from '../../merge-diff.ts';
import type { Slice } from '../../slice-order.ts';

export interface PendingRemovals {
  add(slice: Slice): void;
  /** Whether a later slice of the feed removes the entity. */
  isRemovedLater(id: string, feed: string, seq: number): boolean;
  /** Forgets the removals of slices up to this number. */
  advance(feed: string, seq: number): void;
  forget(feed: string): void;
}

export function createPendingRemovals(): PendingRemovals {
  const feeds = new Map<string, Map<string, number>>();
  return {
    add({ feed, seq, nodes = [], links = [], left }: Partial<Slice> & Pick<Slice, 'feed' | 'seq'>) {
      const removals = [...joinSteps(nodes), ...joinSteps(links)].filter(isRemoval);
      const ids = [...removals.map(({ id }) => id), ...(left?.nodes ?? []), ...(left?.links ?? [])];
      if (ids.length === 0) return;
      const known = feeds.get(feed) ?? new Map<string, number>();
      feeds.set(feed, known);
      for (const id of ids) known.set(id, Math.max(seq, known.get(id) ?? 0));
    },
    isRemovedLater: (id, feed, seq) => (feeds.get(feed)?.get(id) ?? -1) > seq,
    advance(feed, seq) {
      const known = feeds.get(feed);
      if (known === undefined) return;
      for (const [id, until] of known) if (until <= seq) known.delete(id);
      if (known.size === 0) feeds.delete(feed);
    },
    forget: (feed) => void feeds.delete(feed),
  };
}
