// Words that are heard while a page is on its way: the page may be of before, and then the later word counts.
import type { Heads } from './progress.ts';

/** The last word of a feed on an entity: it is in the feed, left it, or is gone altogether. */
export type Word = 'in' | 'left' | 'gone';

interface Heard {
  readonly seq: number;
  readonly word: Word;
}

/** Most entities of which words are kept; a page that has to wait for more is asked for again. */
const MAXIMUM_WORDS = 100_000;

export interface Flight {
  note(id: string, feed: string, seq: number, word: Word): void;
  /** The last words of feeds on an entity after these numbers, by feed. */
  wordsOn(id: string, after: Heads): ReadonlyMap<string, Word>;
  /** The entities of which a feed said after these numbers that they are in it. */
  idsIn(after: Heads): Iterable<string>;
  /** More was heard than is kept: the page can't be trusted. */
  isOverfull(): boolean;
}

export function createFlight(maximum = MAXIMUM_WORDS): Flight {
  const words = new Map<string, Map<string, Heard>>();
  const nothing: ReadonlyMap<string, Word> = new Map();
  let overfull = false;
  return {
    note(id, feed, seq, word) {
      const known = words.get(id);
      if (known === undefined && words.size >= maximum) overfull = true;
      else if (known === undefined) words.set(id, new Map([[feed, { seq, word }]]));
      else if ((known.get(feed)?.seq ?? -1) <= seq) known.set(feed, { seq, word });
    },
    wordsOn(id, after) {
      const known = words.get(id);
      if (known === undefined) return nothing;
      return new Map(
        [...known].filter(([feed, { seq }]) => seq > (after[feed] ?? -1)).map(([feed, { word }]) => [feed, word]),
      );
    },
    *idsIn(after) {
      for (const [id, byFeed] of words) {
        if ([...byFeed].some(([feed, { seq, word }]) => word === 'in' && seq > (after[feed] ?? -1))) yield id;
      }
    },
    isOverfull: () => overfull,
  };
}
