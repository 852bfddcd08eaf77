// The states that arrive in pages: up to which feed numbers they cover changes, and the entities
// that they have shown so far. Rule: EVT2.
import type { Heads } from './feed-progress.ts';
import type { InFlightPage, MembershipEvent } from './in-flight-page.ts';

/** A state that arrives in pages. */
export interface PageWindow {
  /** Ids that its pages have shown. */
  readonly seen: Set<string>;
}

export interface PageWindows {
  /** Records that a state up to these numbers is arriving, or has arrived. */
  cover(heads: Heads): void;
  isCovered(feed: string, seq: number): boolean;
  /** Whether pages are still to come, and no open window has shown the entity. */
  isUnseen(id: string): boolean;
  markSeen(id: string): void;
  open(pageWindow: PageWindow): void;
  close(pageWindow: PageWindow): void;
  /** Notes all events from now on for a page that was requested, until `end`. */
  begin(inFlight: InFlightPage): void;
  end(): void;
  isInFlight(): boolean;
  note(id: string, feed: string, seq: number, event: MembershipEvent): void;
  /** Forgets the numbers of feeds that start again or are no longer read. */
  rewind(feeds: Iterable<string>): void;
  clear(): void;
}

/** `onEvent` receives each event. */
export function createPageWindows(onEvent: (id: string, event: MembershipEvent) => void): PageWindows {
  const covered = new Map<string, number>();
  const open = new Set<PageWindow>();
  let current: InFlightPage | null = null;
  const markSeen = (id: string) => {
    for (const { seen } of open) seen.add(id);
  };
  return {
    cover(heads) {
      for (const [feed, head] of Object.entries(heads)) covered.set(feed, Math.max(head, covered.get(feed) ?? -1));
    },
    isCovered: (feed, seq) => seq <= (covered.get(feed) ?? -1),
    isUnseen: (id) => open.size > 0 && [...open].every(({ seen }) => !seen.has(id)),
    markSeen,
    open: (pageWindow) => void open.add(pageWindow),
    close: (pageWindow) => void open.delete(pageWindow),
    begin(inFlight) {
      current = inFlight;
    },
    end() {
      current = null;
    },
    isInFlight: () => current !== null,
    note(id, feed, seq, event) {
      current?.note(id, feed, seq, event);
      onEvent(id, event);
      if (event === 'in') markSeen(id);
    },
    rewind(feeds) {
      for (const feed of feeds) covered.delete(feed);
    },
    clear() {
      covered.clear();
      open.clear();
    },
  };
}
