// The feeds that the reader reads, with their levels. Of two statements on one feed, the later
// number counts. Rule: EVT2.
import type { AccessChanged } from '../../session.ts';
import type { Heads } from './feed-progress.ts';

/** A change of the feeds that are read. */
interface FeedChanges {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

export interface ReadFeeds {
  reads(feed: string): boolean;
  feeds(): ReadonlySet<string>;
  /** The reader's own feed; null before it is known and without an account. */
  own(): string | null;
  /** The level that a feed gives on nodes of others; undefined if unknown. */
  level(feed: string): number | undefined;
  setLevel(feed: string, level: number): void;
  /**
   * Forgets the levels of these feeds, which the service sends again, except for feeds with a later
   * change.
   */
  forgetLevels(feeds: Iterable<string>): void;
  /** Applies a change of access. False if a later one is known already. */
  applyAccess(access: AccessChanged): boolean;
  /**
   * Applies the service's list of feeds, except for feeds with a later change. Ignores a list that
   * is older than the last one.
   */
  reconcile(heads: Heads): FeedChanges;
  /** The feeds with this change of access after these numbers. */
  accessAfter(heads: Heads, change: AccessChanged['change']): string[];
  restore(feeds: Readonly<Record<string, number | null>>): void;
  /** Forgets all numbers, since the service's numbers have gone back. */
  rewind(): void;
  clear(): void;
}

/** In their own feed, readers are viewers of other owners' nodes (ACL1). */
const TREE_LEVEL = 3;

export function createReadFeeds(): ReadFeeds {
  const read = new Set<string>();
  const levels = new Map<string, number>();
  /** The last change of each feed. Its number is one of the reader's own feed. */
  const changes = new Map<string, Pick<AccessChanged, 'seq' | 'change'>>();
  /** The number of the own feed up to which all changes are known. */
  let known = -1;
  const isOwn = (feed: string) => feed.startsWith('user:');
  const ownFeedHead = (heads: Heads) => Object.entries(heads).find(([feed]) => isOwn(feed))?.[1] ?? 0;

  return {
    reads: (feed) => read.has(feed),
    feeds: () => read,
    own: () => [...read].find(isOwn) ?? null,
    level: (feed) => (isOwn(feed) ? TREE_LEVEL : levels.get(feed)),
    setLevel: (feed, level) => void levels.set(feed, level),
    forgetLevels(feeds) {
      for (const feed of feeds) if (!changes.has(feed)) levels.delete(feed);
    },
    applyAccess({ feed, seq, change, level }) {
      const last = changes.get(feed);
      // One batch may end a grant and give another. Its changes on a feed arrive in order, under
      // one number.
      if (seq <= known || (last !== undefined && (last.seq > seq || (last.seq === seq && last.change === change))))
        return false;
      changes.set(feed, { seq, change });
      if (change === 'lost') read.delete(feed);
      else read.add(feed);
      if (level === null) levels.delete(feed);
      else levels.set(feed, level);
      return true;
    },
    reconcile(heads) {
      const head = ownFeedHead(heads);
      if (head < known) return { lost: [], gained: [] };
      known = head;
      const wanted = new Set(Object.keys(heads));
      for (const [feed, { seq, change }] of changes) {
        if (seq <= head) changes.delete(feed);
        else if (change === 'lost') wanted.delete(feed);
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
    accessAfter(heads, change) {
      const head = ownFeedHead(heads);
      return [...changes].filter(([, each]) => each.seq > head && each.change === change).map(([feed]) => feed);
    },
    restore(feeds) {
      for (const [feed, level] of Object.entries(feeds)) {
        read.add(feed);
        if (level !== null) levels.set(feed, level);
      }
    },
    rewind() {
      known = -1;
      changes.clear();
    },
    clear() {
      known = -1;
      read.clear();
      levels.clear();
      changes.clear();
    },
  };
}
