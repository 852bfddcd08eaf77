// Asks for what a replica misses, one question at a time: what changed since its position, or the whole graph in pages. Rules: EVT2, EVT3.
//
// A walk through the graph takes many pages, and others write meanwhile. So holes are asked for between its pages, and where even the
// changes since its first page can't be told any more, it goes on to its end and begins again: nothing is older than two walks, however
// fast the graph moves, and slices go on being merged all the while. The file is long, since walks and questions share one state and one turn.
import type { Calls, ChangesPage, GraphPage } from '../calls.ts';
import { TaskgraphError } from '../error.ts';
import { askedWaitMs } from '../patience.ts';
import { retryWaitMs } from '../retry.ts';
import { createFlight, type Flight } from './flight.ts';
import type { GraphCopy, WholePage } from './graph-copy.ts';
import type { Heads, Progress } from './progress.ts';
import type { Reading } from './reading.ts';
import type { Window, Windows } from './windows.ts';

/** Makes the reads that a replica needs; rejects with a TaskgraphError. */
export interface Reads {
  changes(payload: Calls['changes:get']['payload']): Promise<Calls['changes:get']['answer']>;
  /** A page of all that the reader reads. */
  page(after: string | null): Promise<GraphPage>;
}

interface HealerParts {
  readonly reads: Reads;
  readonly copy: GraphCopy;
  readonly progress: Progress;
  readonly reading: Reading;
  readonly windows: Windows;
  readonly isConnected: () => boolean;
  /** Told of the numbers up to which the state is here now. */
  readonly reached: (heads: Heads) => void;
  /** Told after each step. */
  readonly stepped: () => void;
  /** Told of a failure that asking again may mend. */
  readonly failed: (error: TaskgraphError) => void;
  readonly random?: () => number;
}

export interface Healer {
  /** Looks soon whether something is missing; `now` where the hole was waited for already. */
  wake(when: 'now' | 'soon'): void;
  /** The whole graph has to be read. */
  wantWalk(): void;
  /** Whether all is here. */
  isWhole(): boolean;
  /** Whether the whole graph is being read, or has to be. */
  isReading(): boolean;
  /** The position of the last whole answer; null where the next start has to read the whole graph. */
  position(): string | null;
  /** The numbers that the position stands for. */
  positionHeads(): Heads;
  /** Takes in a position up to which all is here. */
  setPosition(position: string, heads: Heads): void;
  stop(): void;
}

/** Slices may cross on their way, and what is missing of several feeds is asked for together. */
const WAIT_MS = 300;
const JITTER_MS = 200;
/** Feeds that a question may name. */
const MAXIMUM_HEARD = 200;

interface Walk extends Window {
  after: string | null;
}

export function createHealer(parts: HealerParts): Healer {
  const { reads, copy, progress, reading, windows, random = Math.random } = parts;
  let position: string | null = null;
  /** The numbers that the position stands for, as far as they are known. */
  let atPosition: Heads = {};
  let walk: Walk | null = null;
  let isWalkWanted = false;
  let isWantedAgain = false;
  /** Changes since the position can't be told any more. */
  let isPositionLost = false;
  let isRunning = false;
  let isStopped = false;
  let isHeardKnown = true;
  let attempts = 0;
  let timer: { readonly handle: ReturnType<typeof setTimeout>; readonly atMs: number } | null = null;

  const hasHoles = () => [...reading.feeds()].some((feed) => !progress.isWhole(feed));
  const isWhole = () => position !== null && walk === null && !isWalkWanted && !isPositionLost && !hasHoles();

  function wakeIn(waitMs: number): void {
    if (isStopped || isRunning) return;
    const atMs = Date.now() + waitMs;
    if (timer !== null && timer.atMs <= atMs) return;
    if (timer !== null) clearTimeout(timer.handle);
    timer = { handle: setTimeout(() => void run(), waitMs), atMs };
  }

  async function run(): Promise<void> {
    timer = null;
    if (isRunning || isStopped || !parts.isConnected() || isWhole()) return;
    isRunning = true;
    let waitMs = 0;
    try {
      const asked = await step();
      // The pages of a walk follow each other; the service says when they come too fast.
      if (isWhole() || walk !== null) attempts = 0;
      else waitMs = WAIT_MS + retryWaitMs(++attempts);
      if (walk !== null && asked === 'changes') waitMs = WAIT_MS;
    } catch (error) {
      if (!(error instanceof TaskgraphError)) throw error;
      waitMs = Math.max(WAIT_MS + retryWaitMs(++attempts), askedWaitMs(error) ?? 0);
      notePassed(error);
      parts.failed(error);
    } finally {
      isRunning = false;
    }
    if (isStopped) return;
    parts.stepped();
    if (!isWhole()) wakeIn(waitMs);
  }

  /** A position of another database, or of a key that has gone, is of no use any more. */
  function notePassed({ code }: TaskgraphError): void {
    if (code === 'bad_request.invalid_since') isPositionLost = true;
    if (code === 'bad_request.invalid_after') endWalk(true);
    // A service of an earlier release does not know it, and tells all since the position.
    if (code === 'bad_request.unknown_field' || code === 'bad_request.invalid_heard') isHeardKnown = false;
  }

  async function step(): Promise<'changes' | 'page'> {
    if (walk === null && (position === null || isWalkWanted || isPositionLost)) await beginWalk();
    else if (hasHoles() && position !== null && !isPositionLost) {
      await askChanges(position);
      return 'changes';
    } else if (walk !== null) await walkOn(walk);
    return 'page';
  }

  /** Has a page asked for, and takes it in with what was heard meanwhile. Null where too much was heard to tell one from the other. */
  async function fly<T extends WholePage>(
    ask: () => Promise<T | null>,
    before: (page: T, flight: Flight) => Heads,
  ): Promise<T | null> {
    const flight = createFlight();
    windows.takeOff(flight);
    try {
      const page = await ask();
      if (isStopped || page === null || flight.isOverfull()) return null;
      copy.takePage(page, flight, before(page, flight));
      return page;
    } finally {
      windows.land();
    }
  }

  /** Begins to note what pages show; what was heard after their numbers counts as shown. */
  function open(window: Window, flight: Flight, heads: Heads): void {
    for (const id of flight.idsIn(heads)) window.seen.add(id);
    windows.open(window);
  }

  async function beginWalk(): Promise<void> {
    const begun: Walk = { seen: new Set(), after: null };
    // It stays wanted until its first page is here, and afterwards where it was wanted again meanwhile.
    isWantedAgain = false;
    const page = await fly(
      () => reads.page(null),
      (first, flight) => {
        const heads = first.feeds ?? {};
        open(begun, flight, heads);
        const wasWantedAgain = isWantedAgain;
        adopt(heads);
        // This walk itself brings back what is still read of the feeds that it found lost.
        isWantedAgain = wasWantedAgain;
        return heads;
      },
    );
    if (page === null) return;
    isWalkWanted = isWantedAgain;
    walk = begun;
    position = page.position ?? '';
    atPosition = page.feeds ?? {};
    isPositionLost = false;
    follow(begun, page);
  }

  async function walkOn(current: Walk): Promise<void> {
    const asked = headsNow();
    const page = await fly(
      () => reads.page(current.after),
      () => asked,
    );
    if (page !== null) follow(current, page);
  }

  function follow(current: Walk, { hasMore, next }: GraphPage): void {
    if (hasMore && next !== null) current.after = next;
    else endWalk(false);
  }

  function endWalk(isBroken: boolean): void {
    if (walk === null) return;
    windows.close(walk);
    if (isBroken) isWalkWanted = true;
    else copy.sweep(walk.seen);
    walk = null;
  }

  /** The numbers up to which all is known: what is heard with later ones while a page is under way is later than what it shows. */
  function headsNow(): Heads {
    return Object.fromEntries([...reading.feeds()].map((feed) => [feed, progress.settled(feed)]));
  }

  /** The feeds that came further since the position, as many as a question may name: of the others it tells again. */
  function heardSince(): { feed: string; seq: number }[] {
    const further = Object.entries(headsNow()).filter(([feed, seq]) => seq > (atPosition[feed] ?? seq));
    return further.slice(0, MAXIMUM_HEARD).map(([feed, seq]) => ({ feed, seq }));
  }

  function adopt(heads: Heads): void {
    windows.cover(heads);
    copy.compare(heads);
    progress.reach(heads);
    parts.reached(heads);
  }

  async function askChanges(since: string): Promise<void> {
    // Nothing of an account is there for readers without one: their branch is read anew.
    if (since === '') {
      isWalkWanted = walk === null;
      if (walk !== null) await walkOn(walk);
      return;
    }
    const heard = heardSince();
    const window: Window = { seen: new Set() };
    const content = new Set<string>();
    let heads: Heads = {};
    let cursor: string | null = null;
    let page: ChangesPage | null;
    const before = [...reading.feeds()].filter((feed) => progress.settled(feed) < 0);
    const broken = [...reading.feeds()].filter((feed) => progress.settled(feed) >= 0 && !progress.isWhole(feed));
    try {
      do {
        const payload = {
          since,
          ...(heard.length > 0 && isHeardKnown ? { heard } : {}),
          ...(cursor === null ? {} : { cursor }),
        };
        page = await fly(
          async () => {
            const answer = await reads.changes(payload);
            if (answer.resetRequired !== true) return answer;
            isPositionLost = true;
            return null;
          },
          (first, flight) => {
            if (first.heads === undefined) return heads;
            heads = first.heads;
            open(window, flight, heads);
            windows.cover(heads);
            // Until the last page is here, all up to these numbers is missing, whatever else comes.
            copy.compare(heads);
            for (const feed of first.feeds.gained) content.add(feed);
            return heads;
          },
        );
        if (page === null) return;
        cursor = page.hasMore ? page.next : null;
      } while (cursor !== null);
      // Entities that left a feed while it was lost are named nowhere, nor those that left it since an answer of which not all pages came.
      for (const feed of content) copy.leaveUnseen(feed, window.seen);
      progress.reach(heads);
      parts.reached(heads);
      position = page.position;
      atPosition = heads;
      // Its content came whole instead of its changes, so that what was taken away to be asked for is not named.
      if (broken.some((feed) => content.has(feed))) isWalkWanted = true;
      // A feed that was given up here has come back, and the service does not know that its content is missing.
      if (before.some((feed) => Object.hasOwn(heads, feed) && !content.has(feed))) isWalkWanted = true;
    } finally {
      windows.close(window);
    }
  }

  return {
    wake(when) {
      if (!isWhole()) wakeIn(when === 'now' ? 0 : WAIT_MS + random() * JITTER_MS);
    },
    wantWalk() {
      isWalkWanted = true;
      isWantedAgain = true;
    },
    isWhole,
    isReading: () => position === null || walk !== null || isWalkWanted || isPositionLost,
    position: () => (walk === null && !isWalkWanted && !isPositionLost ? position : null),
    positionHeads: () => atPosition,
    setPosition(reached, heads) {
      position = reached;
      atPosition = heads;
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer.handle);
    },
  };
}
