// Entities that slices take away which wait behind a hole: a slice before them that is let through must not bring it back.
import { joinSteps } from '../merge-diff.ts';
import type { Slice } from '../slice-order.ts';

export interface Foretold {
  add(slice: Slice): void;
  /** Whether a later slice of the feed takes the entity away. */
  isAway(id: string, feed: string, seq: number): boolean;
  /** Takes in that a feed has come so far. */
  pass(feed: string, seq: number): void;
  forget(feed: string): void;
}

export function createForetold(): Foretold {
  const feeds = new Map<string, Map<string, number>>();
  return {
    add({ feed, seq, nodes = [], links = [], left }: Partial<Slice> & Pick<Slice, 'feed' | 'seq'>) {
      const away = [...joinSteps(nodes), ...joinSteps(links)].filter(
        ({ after }) => after.deleted === true || after.inTrash === true,
      );
      const ids = [...away.map(({ id }) => id), ...(left?.nodes ?? []), ...(left?.links ?? [])];
      if (ids.length === 0) return;
      const known = feeds.get(feed) ?? new Map<string, number>();
      feeds.set(feed, known);
      for (const id of ids) known.set(id, Math.max(seq, known.get(id) ?? 0));
    },
    isAway: (id, feed, seq) => (feeds.get(feed)?.get(id) ?? -1) > seq,
    pass(feed, seq) {
      const known = feeds.get(feed);
      if (known === undefined) return;
      for (const [id, until] of known) if (until <= seq) known.delete(id);
      if (known.size === 0) feeds.delete(feed);
    },
    forget: (feed) => void feeds.delete(feed),
  };
}
