// The pages of one state that are coming in: up to which numbers they tell all, and what they have shown so far. Rule: EVT2.
import type { Flight, Word } from './flight.ts';
import type { Heads } from './progress.ts';

/** A state that comes in pages. */
export interface Window {
  /** Ids that its pages have shown. */
  readonly seen: Set<string>;
}

export interface Windows {
  /** Takes in that a state up to these numbers is coming, or is here. */
  cover(heads: Heads): void;
  isCovered(feed: string, seq: number): boolean;
  /** Whether pages are still coming, and none of them has shown the entity. */
  isUnseen(id: string): boolean;
  see(id: string): void;
  open(window: Window): void;
  close(window: Window): void;
  /** Notes all words from now on for a page that was asked for. */
  takeOff(flight: Flight): void;
  land(): void;
  /** Whether a page is on its way. */
  isFlying(): boolean;
  note(id: string, feed: string, seq: number, word: Word): void;
  /** Forgets the numbers of a feed: it begins anew, or is not read any more. */
  rewind(feeds: Iterable<string>): void;
  clear(): void;
}

/** `told` hears each word. */
export function createWindows(told: (id: string, word: Word) => void): Windows {
  const covered = new Map<string, number>();
  const open = new Set<Window>();
  let flight: Flight | null = null;
  const isCovered = (feed: string, seq: number) => seq <= (covered.get(feed) ?? -1);
  return {
    cover(heads) {
      for (const [feed, head] of Object.entries(heads)) covered.set(feed, Math.max(head, covered.get(feed) ?? -1));
    },
    isCovered,
    isUnseen: (id) => open.size > 0 && [...open].every(({ seen }) => !seen.has(id)),
    see(id) {
      for (const { seen } of open) seen.add(id);
    },
    open: (window) => void open.add(window),
    close: (window) => void open.delete(window),
    takeOff(taken) {
      flight = taken;
    },
    land() {
      flight = null;
    },
    isFlying: () => flight !== null,
    note(id, feed, seq, word) {
      flight?.note(id, feed, seq, word);
      told(id, word);
      if (word === 'in') for (const { seen } of open) seen.add(id);
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
