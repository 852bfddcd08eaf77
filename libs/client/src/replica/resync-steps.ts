// The steps of a resync: the changes since the position, or a page of a full read, which fetches
// the whole graph. The copy merges slices meanwhile.
//
// States and transitions:
// - No position: nothing was read yet. The next step begins a full read, whose first page sets the
//   position.
// - Position: if a feed has gaps, the next step fetches the changes since it and advances it.
// - Full read: pages arrive, and gaps are closed between them. After the last page, entities that
//   no page has shown are removed.
// - Full read requested, or position lost: the next step after the current full read begins
//   another.
import type { Calls, ChangesPage, GraphPage } from '../calls.ts';
import type { TaskgraphError } from '../error.ts';
import type { FeedProgress, Heads } from './feeds/feed-progress.ts';
import { createInFlightPage, type InFlightPage } from './feeds/in-flight-page.ts';
import type { PageWindow, PageWindows } from './feeds/page-windows.ts';
import type { ReadFeeds } from './feeds/read-feeds.ts';
import type { GraphCopy, WholePage } from './graph-copy.ts';

/** The reads that a replica needs. Each rejects with a TaskgraphError. */
export interface ResyncReads {
  changes(payload: Calls['changes:get']['payload']): Promise<Calls['changes:get']['answer']>;
  /** A page of everything that is visible to the reader. */
  page(after: string | null): Promise<GraphPage>;
}

export interface StepDependencies {
  readonly reads: ResyncReads;
  readonly copy: GraphCopy;
  readonly progress: FeedProgress;
  readonly readFeeds: ReadFeeds;
  readonly pageWindows: PageWindows;
  /** Receives the numbers up to which the copy is complete now. */
  readonly reached: (heads: Heads) => void;
  readonly isStopped: () => boolean;
}

export interface ResyncSteps {
  /** Takes the next step, unless nothing is missing. Rejects with a TaskgraphError. */
  step(): Promise<'changes' | 'page'>;
  /** Gives up a position or cursor that the service has refused. */
  adapt(error: TaskgraphError): void;
  requestFullRead(): void;
  /** Whether nothing is missing. */
  isComplete(): boolean;
  /** Whether a full read is in progress or requested. */
  isFullReadDue(): boolean;
  /** Whether a full read is in progress. */
  isFullRead(): boolean;
  /**
   * The position of the last complete answer; null if the next start must begin with a full read.
   */
  position(): string | null;
  /** The numbers that the position stands for. */
  positionHeads(): Heads;
  /** Sets a position up to which nothing is missing. */
  setPosition(position: string, heads: Heads): void;
}

/** A full read that has begun; `after` names its next page. */
interface FullRead extends PageWindow {
  after: string | null;
}

/** Feeds that a request may name in `heard`. */
const MAXIMUM_HEARD = 200;

export function createResyncSteps(dependencies: StepDependencies): ResyncSteps {
  const { reads, copy, progress, readFeeds, pageWindows, reached, isStopped } = dependencies;
  let position: string | null = null;
  /** The numbers that the position stands for, as far as they are known. */
  let positionHeads: Heads = {};
  let fullRead: FullRead | null = null;
  let isFullReadRequested = false;
  /** Whether another full read was requested since the last one began. */
  let isRequestedAgain = false;
  /** Whether the service can no longer list the changes since the position. */
  let isPositionLost = false;
  /** Whether the service knows the field `heard`. An earlier release does not. */
  let isHeardKnown = true;

  const hasGaps = () => [...readFeeds.feeds()].some((feed) => !progress.isComplete(feed));
  const isFullReadDue = () => position === null || fullRead !== null || isFullReadRequested || isPositionLost;

  async function step(): Promise<'changes' | 'page'> {
    if (fullRead === null && isFullReadDue()) await beginFullRead();
    else if (hasGaps() && position !== null && !isPositionLost) {
      await fetchChanges(position);
      return 'changes';
    } else if (fullRead !== null) await continueFullRead(fullRead);
    return 'page';
  }

  /**
   * Fetches a page and applies it with the events that arrive meanwhile. `headsOf` gives the
   * numbers that the page covers at least. Null if the page is missing or cannot be used.
   */
  async function fetchPage<T extends WholePage>(
    fetch: () => Promise<T | null>,
    headsOf: (page: T, inFlight: InFlightPage) => Heads,
  ): Promise<T | null> {
    const inFlight = createInFlightPage();
    pageWindows.begin(inFlight);
    try {
      const page = await fetch();
      if (isStopped() || page === null || inFlight.isOverflowing()) return null;
      copy.applyPage(page, inFlight, headsOf(page, inFlight));
      return page;
    } finally {
      pageWindows.end();
    }
  }

  /** Opens a window. Entities that a feed reported after these numbers count as shown. */
  function openWindow(pageWindow: PageWindow, inFlight: InFlightPage, heads: Heads): void {
    for (const id of inFlight.memberIds(heads)) pageWindow.seen.add(id);
    pageWindows.open(pageWindow);
  }

  function reach(heads: Heads): void {
    progress.reach(heads);
    reached(heads);
  }

  async function beginFullRead(): Promise<void> {
    const begun: FullRead = { seen: new Set(), after: null };
    // The request lasts until the first page is here, and longer if it was repeated meanwhile.
    isRequestedAgain = false;
    const page = await fetchPage(
      () => reads.page(null),
      (first, inFlight) => {
        const heads = first.feeds ?? {};
        openWindow(begun, inFlight, heads);
        const wasRequestedAgain = isRequestedAgain;
        pageWindows.cover(heads);
        copy.reconcile(heads);
        readFeeds.forgetLevels(Object.keys(heads));
        reach(heads);
        // This full read itself fetches what is still visible of the feeds that were lost.
        isRequestedAgain = wasRequestedAgain;
        return heads;
      },
    );
    if (page === null) return;
    isFullReadRequested = isRequestedAgain;
    fullRead = begun;
    position = page.position ?? '';
    positionHeads = page.feeds ?? {};
    isPositionLost = false;
    follow(begun, page);
  }

  async function continueFullRead(current: FullRead): Promise<void> {
    const heads = completeHeads();
    const page = await fetchPage(
      () => reads.page(current.after),
      () => heads,
    );
    if (page !== null) follow(current, page);
  }

  function follow(current: FullRead, { hasMore, next }: GraphPage): void {
    if (hasMore && next !== null) current.after = next;
    else {
      endFullRead(current);
      copy.removeUnseen(current.seen);
    }
  }

  function endFullRead(current: FullRead): void {
    pageWindows.close(current);
    fullRead = null;
  }

  /**
   * The numbers up to which the copy is complete. An event with a later number overrides a page in
   * flight.
   */
  function completeHeads(): Heads {
    return Object.fromEntries([...readFeeds.feeds()].map((feed) => [feed, progress.completeUpTo(feed)]));
  }

  /**
   * The feeds that advanced since the position, up to the bound. The service repeats the others.
   */
  function advancedFeeds(): { feed: string; seq: number }[] {
    return Object.entries(completeHeads())
      .filter(([feed, seq]) => seq > (positionHeads[feed] ?? seq))
      .slice(0, MAXIMUM_HEARD)
      .map(([feed, seq]) => ({ feed, seq }));
  }

  async function changesOf(payload: Calls['changes:get']['payload']): Promise<ChangesPage | null> {
    const answer = await reads.changes(payload);
    if (answer.resetRequired !== true) return answer;
    isPositionLost = true;
    return null;
  }

  async function fetchChanges(since: string): Promise<void> {
    // Only accounts have positions: an anonymous reader reads the branch again.
    if (since === '') {
      isFullReadRequested = fullRead === null;
      if (fullRead !== null) await continueFullRead(fullRead);
      return;
    }
    const advanced = advancedFeeds();
    const pageWindow: PageWindow = { seen: new Set() };
    /** Feeds that the answer contains in full. */
    const fullFeeds = new Set<string>();
    let heads: Heads = {};
    let cursor: string | null = null;
    const feeds = [...readFeeds.feeds()];
    const missing = feeds.filter((feed) => progress.completeUpTo(feed) < 0);
    const incomplete = feeds.filter((feed) => progress.completeUpTo(feed) >= 0 && !progress.isComplete(feed));
    const begin = (first: ChangesPage, inFlight: InFlightPage): Heads => {
      if (first.heads === undefined) return heads;
      heads = first.heads;
      openWindow(pageWindow, inFlight, heads);
      pageWindows.cover(heads);
      // Until the last page is here, the copy counts as incomplete up to these numbers.
      copy.reconcile(heads);
      for (const feed of first.feeds.gained) fullFeeds.add(feed);
      // A level that changed meanwhile may have no node in this answer, for example if all are in
      // the trash.
      readFeeds.forgetLevels(fullFeeds);
      return heads;
    };
    try {
      let page: ChangesPage | null;
      do {
        const payload: Calls['changes:get']['payload'] = {
          since,
          ...(advanced.length > 0 && isHeardKnown ? { heard: advanced } : {}),
          ...(cursor === null ? {} : { cursor }),
        };
        page = await fetchPage(() => changesOf(payload), begin);
        if (page === null) return;
        cursor = page.hasMore ? page.next : null;
      } while (cursor !== null);
      // No answer names entities that left a feed while it was lost, or since an incomplete answer.
      for (const feed of fullFeeds) copy.removeUnseenFrom(feed, pageWindow.seen);
      reach(heads);
      position = page.position;
      positionHeads = heads;
      // The answer has the feed's content instead of its changes, so it names no removed entities.
      // Nor does the service know that a feed which was dropped here and came back has no content.
      const isRemovalUnnamed = incomplete.some((feed) => fullFeeds.has(feed));
      const isContentMissing = missing.some((feed) => Object.hasOwn(heads, feed) && !fullFeeds.has(feed));
      if (isRemovalUnnamed || isContentMissing) isFullReadRequested = true;
    } finally {
      pageWindows.close(pageWindow);
    }
  }

  return {
    step,
    adapt({ code }) {
      if (code === 'bad_request.invalid_since') isPositionLost = true;
      if (code === 'bad_request.invalid_after' && fullRead !== null) {
        endFullRead(fullRead);
        isFullReadRequested = true;
      }
      if (code === 'bad_request.unknown_field' || code === 'bad_request.invalid_heard') isHeardKnown = false;
    },
    requestFullRead() {
      isFullReadRequested = true;
      isRequestedAgain = true;
    },
    isComplete: () => !isFullReadDue() && !hasGaps(),
    isFullReadDue,
    isFullRead: () => fullRead !== null,
    position: () => (isFullReadDue() ? null : position),
    positionHeads: () => positionHeads,
    setPosition(reachedPosition, heads) {
      position = reachedPosition;
      positionHeads = heads;
    },
  };
}
