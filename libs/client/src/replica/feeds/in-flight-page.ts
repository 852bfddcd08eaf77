// The membership events that arrive while a page is in flight. They override the page, which may be
// older.
import type { Heads } from './feed-progress.ts';

/** The last event of a feed on an entity: it is in the feed, left it, or is gone from all feeds. */
export type MembershipEvent = 'in' | 'left' | 'gone';

interface NumberedEvent {
  readonly seq: number;
  readonly event: MembershipEvent;
}

/** Most entities with stored events. A page that needs more is requested again. */
const MAXIMUM_NOTED = 100_000;

export interface InFlightPage {
  note(id: string, feed: string, seq: number, event: MembershipEvent): void;
  /** The last event of each feed on an entity after these numbers, by feed. */
  eventsOf(id: string, after: Heads): ReadonlyMap<string, MembershipEvent>;
  /** The entities that a feed has reported as members after these numbers. */
  memberIds(after: Heads): Iterable<string>;
  /** Whether events were dropped: the page cannot be used then. */
  isOverflowing(): boolean;
}

export function createInFlightPage(maximum = MAXIMUM_NOTED): InFlightPage {
  const events = new Map<string, Map<string, NumberedEvent>>();
  const none: ReadonlyMap<string, MembershipEvent> = new Map();
  let isOverflowing = false;
  return {
    note(id, feed, seq, event) {
      const known = events.get(id);
      if (known === undefined && events.size >= maximum) isOverflowing = true;
      else if (known === undefined) events.set(id, new Map([[feed, { seq, event }]]));
      else if ((known.get(feed)?.seq ?? -1) <= seq) known.set(feed, { seq, event });
    },
    eventsOf(id, after) {
      const known = events.get(id);
      if (known === undefined) return none;
      return new Map(
        [...known].filter(([feed, { seq }]) => seq > (after[feed] ?? -1)).map(([feed, { event }]) => [feed, event]),
      );
    },
    *memberIds(after) {
      for (const [id, byFeed] of events) {
        if ([...byFeed].some(([feed, { seq, event }]) => event === 'in' && seq > (after[feed] ?? -1))) yield id;
      }
    },
    isOverflowing: () => isOverflowing,
  };
}
