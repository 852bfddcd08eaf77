// How far a replica knows each feed: the slices that came, and the numbers whose content is still to be fetched. Rule: EVT1.

/** Numbers of a feed, both included. */
interface Stretch {
  from: number;
  to: number;
}

interface FeedProgress {
  /** The highest number that came, or that a fetched state reaches to. */
  reached: number;
  /** Ascending, apart from each other. */
  holes: Stretch[];
}

export type Heads = Readonly<Record<string, number>>;

export interface Progress {
  /** Takes in that a slice came. */
  delivered(feed: string, seq: number): void;
  /** Takes in that the content of these numbers is missing; number 0 stands for a feed that is not here at all. */
  hole(feed: string, from: number, to?: number): void;
  /** Takes in that the state up to these numbers is here. */
  reach(heads: Heads): void;
  /** Takes these numbers for the last ones, also where later ones were known. */
  rewind(heads: Heads): void;
  forget(feed: string): void;
  isWhole(feed: string): boolean;
  /** The last number up to which nothing is missing; -1 where the feed is not here. */
  settled(feed: string): number;
  /** The highest number that came, whether or not all before it did; -1 where none did. */
  latest(feed: string): number;
  /** Forgets the feeds that are not among these. */
  keep(feeds: ReadonlySet<string>): void;
}

/** Most holes of one feed that are told apart; past it they are one, which costs no more than a longer answer. */
const MAXIMUM_HOLES = 100;

export function createProgress(): Progress {
  const feeds = new Map<string, FeedProgress>();
  const of = (feed: string): FeedProgress => {
    const known = feeds.get(feed) ?? { reached: 0, holes: [] };
    feeds.set(feed, known);
    return known;
  };
  const settled = (feed: string) => {
    const { reached, holes } = feeds.get(feed) ?? { reached: -1, holes: [] };
    return holes[0] === undefined ? reached : Math.min(reached, holes[0].from - 1);
  };
  return {
    delivered(feed, seq) {
      const progress = of(feed);
      progress.reached = Math.max(progress.reached, seq);
    },
    hole(feed, from, to = from) {
      const progress = of(feed);
      const apart = progress.holes.filter((hole) => hole.to < from - 1 || hole.from > to + 1);
      const joined = progress.holes.filter((hole) => !apart.includes(hole));
      apart.push({
        from: Math.min(from, ...joined.map((hole) => hole.from)),
        to: Math.max(to, ...joined.map((hole) => hole.to)),
      });
      apart.sort((one, other) => one.from - other.from);
      const last = apart.at(-1) as Stretch;
      progress.holes = apart.length > MAXIMUM_HOLES ? [{ from: (apart[0] as Stretch).from, to: last.to }] : apart;
    },
    reach(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const progress = of(feed);
        progress.reached = Math.max(progress.reached, head);
        progress.holes = progress.holes
          .filter(({ to }) => to > head)
          .map(({ from, to }) => ({ from: Math.max(from, head + 1), to }));
      }
    },
    rewind(heads) {
      for (const [feed, head] of Object.entries(heads)) feeds.set(feed, { reached: head, holes: [] });
    },
    forget: (feed) => void feeds.delete(feed),
    isWhole: (feed) => feeds.get(feed)?.holes.length === 0,
    settled,
    latest: (feed) => feeds.get(feed)?.reached ?? -1,
    keep(read) {
      for (const feed of feeds.keys()) if (!read.has(feed)) feeds.delete(feed);
    },
  };
}
