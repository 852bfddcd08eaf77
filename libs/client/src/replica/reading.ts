// Which feeds the reader reads, and at which level, by the service's word; of two words on one feed the later number counts. Rule: EVT2.
import type { AccessChanged } from '../session.ts';
import type { Heads } from './progress.ts';

/** A change of the feeds that are read. */
export interface Moved {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

export interface Reading {
  reads(feed: string): boolean;
  feeds(): ReadonlySet<string>;
  /** The reader's own feed, or null before it is known and without an account. */
  own(): string | null;
  /** The level that a feed gives on nodes of others; undefined where nobody said it yet. */
  level(feed: string): number | undefined;
  learnLevel(feed: string, level: number): void;
  /** Takes in news of access; null where a later one is known already. */
  hear(news: AccessChanged): AccessChanged | null;
  /** Takes in the feeds that the service names as read, save what was said later than its numbers; an older answer than the last tells nothing. */
  compare(heads: Heads): Moved;
  /** Feeds of which such news came later than these numbers. */
  newsAfter(heads: Heads, change: AccessChanged['change']): string[];
  restore(feeds: Readonly<Record<string, number | null>>): void;
  /** Takes in that the service has gone back: numbers count anew. */
  rewind(): void;
  clear(): void;
}

interface Word {
  readonly seq: number;
  readonly change: AccessChanged['change'];
}

/** Nodes of others in the reader's own feed are read as a viewer (ACL1). */
const TREE_LEVEL = 3;

export function createReading(): Reading {
  const read = new Set<string>();
  const levels = new Map<string, number>();
  const words = new Map<string, Word>();
  /** The number of the reader's own feed up to which all news is known. */
  let known = -1;
  const own = () => [...read].find((feed) => feed.startsWith('user:')) ?? null;
  const heardUpTo = (heads: Heads) => {
    const feed = Object.keys(heads).find((each) => each.startsWith('user:'));
    return feed === undefined ? 0 : (heads[feed] as number);
  };

  return {
    reads: (feed) => read.has(feed),
    feeds: () => read,
    own,
    level: (feed) => (feed.startsWith('user:') ? TREE_LEVEL : levels.get(feed)),
    learnLevel: (feed, level) => void levels.set(feed, level),
    hear(news) {
      const { feed, seq, change, level } = news;
      const last = words.get(feed);
      // One batch may end one grant and give another: its words on a feed come in their order, under one number.
      if (seq <= known || (last !== undefined && (last.seq > seq || (last.seq === seq && last.change === change))))
        return null;
      words.set(feed, { seq, change });
      if (change === 'lost') read.delete(feed);
      else read.add(feed);
      if (level === null) levels.delete(feed);
      else levels.set(feed, level);
      return news;
    },
    compare(heads) {
      const upTo = heardUpTo(heads);
      if (upTo < known) return { lost: [], gained: [] };
      known = upTo;
      for (const [feed, { seq }] of words) if (seq <= upTo) words.delete(feed);
      const wanted = new Set(Object.keys(heads));
      for (const [feed, { change }] of words) {
        if (change === 'lost') wanted.delete(feed);
        else wanted.add(feed);
      }
      const lost = [...read].filter((feed) => !wanted.has(feed));
      const gained = [...wanted].filter((feed) => !read.has(feed));
      for (const feed of lost) {
        read.delete(feed);
        levels.delete(feed);
      }
      for (const feed of gained) read.add(feed);
      return { lost, gained };
    },
    newsAfter(heads, change) {
      const upTo = heardUpTo(heads);
      return [...words].filter(([, word]) => word.seq > upTo && word.change === change).map(([feed]) => feed);
    },
    restore(feeds) {
      for (const [feed, level] of Object.entries(feeds)) {
        read.add(feed);
        if (level !== null) levels.set(feed, level);
      }
    },
    rewind() {
      known = -1;
      words.clear();
    },
    clear() {
      known = -1;
      read.clear();
      levels.clear();
      words.clear();
    },
  };
}
