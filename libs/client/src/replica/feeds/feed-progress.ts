// The progress of a replica in each feed: the last slice, and the numbers with missing content.
// Rule: EVT1.

/** Numbers of a feed, both included. */
interface NumberRange {
  from: number;
  to: number;
}

interface FeedState {
  /** The highest number of a slice or a fetched state. */
  reached: number;
  /** Ascending and disjoint. */
  gaps: NumberRange[];
}

export type Heads = Readonly<Record<string, number>>;

export interface FeedProgress {
  /** Records the arrival of a slice. */
  delivered(feed: string, seq: number): void;
  /** Records that the content of these numbers is missing. Number 0 means the whole feed. */
  addGap(feed: string, from: number, to?: number): void;
  /** Records that the state up to these numbers was fetched. */
  reach(heads: Heads): void;
  /** Sets these as the last numbers, even below the known ones. */
  rewind(heads: Heads): void;
  forget(feed: string): void;
  isComplete(feed: string): boolean;
  /** The last number up to which nothing is missing; -1 if the feed is missing. */
  completeUpTo(feed: string): number;
  /** The highest number that arrived, with or without gaps before it; -1 if none did. */
  latest(feed: string): number;
  /** Forgets all other feeds. */
  retainOnly(feeds: ReadonlySet<string>): void;
}

/** Most gaps of one feed. One more joins them all, which only makes the answer longer. */
const MAXIMUM_GAPS = 100;

export function createFeedProgress(): FeedProgress {
  const feeds = new Map<string, FeedState>();
  const of = (feed: string): FeedState => {
    const known = feeds.get(feed) ?? { reached: 0, gaps: [] };
    feeds.set(feed, known);
    return known;
  };
  const completeUpTo = (feed: string) => {
    const { reached, gaps } = feeds.get(feed) ?? { reached: -1, gaps: [] };
    return gaps[0] === undefined ? reached : Math.min(reached, gaps[0].from - 1);
  };
  return {
    delivered(feed, seq) {
      const progress = of(feed);
      progress.reached = Math.max(progress.reached, seq);
    },
    addGap(feed, from, to = from) {
      const progress = of(feed);
      const apart = progress.gaps.filter((gap) => gap.to < from - 1 || gap.from > to + 1);
      const joined = progress.gaps.filter((gap) => !apart.includes(gap));
      apart.push({
        from: Math.min(from, ...joined.map((gap) => gap.from)),
        to: Math.max(to, ...joined.map((gap) => gap.to)),
      });
      apart.sort((one, other) => one.from - other.from);
      const last = apart.at(-1) as NumberRange;
      progress.gaps = apart.length > MAXIMUM_GAPS ? [{ from: (apart[0] as NumberRange).from, to: last.to }] : apart;
    },
    reach(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const progress = of(feed);
        progress.reached = Math.max(progress.reached, head);
        progress.gaps = progress.gaps
          .filter(({ to }) => to > head)
          .map(({ from, to }) => ({ from: Math.max(from, head + 1), to }));
      }
    },
    rewind(heads) {
      for (const [feed, head] of Object.entries(heads)) feeds.set(feed, { reached: head, gaps: [] });
    },
    forget: (feed) => void feeds.delete(feed),
    isComplete: (feed) => feeds.get(feed)?.gaps.length === 0,
    completeUpTo,
    latest: (feed) => feeds.get(feed)?.reached ?? -1,
    retainOnly(read) {
      for (const feed of feeds.keys()) if (!read.has(feed)) feeds.delete(feed);
    },
  };
}
