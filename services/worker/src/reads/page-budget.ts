// The memory budget of pages. Each page in progress takes one share, and waits for a while if none
// is free. Rule: GEN11.

/**
 * The memory of a page in progress, in page sizes: the texts from the database, the answer as JSON,
 * and the message.
 */
const SHARE_PAGES = 3;

/** Most reads that wait for a share. Further ones are refused at once. */
const MAXIMUM_WAITING = 1_000;

/** Returns the bytes to the budget. A second call does nothing. */
export type Release = () => void;

export interface PageBudget {
  /** Most bytes of one page. A single entity that is larger goes alone. */
  readonly pageBytes: number;
  /** Takes the share of one page; null if none becomes free in time. */
  take(): Promise<Release | null>;
  /**
   * Takes the worker's one turn for a stored text that is longer than a page; null if it does not
   * become free in time.
   */
  takeLong(): Promise<Release | null>;
  /** Bytes of the taken shares. */
  takenBytes(): number;
  /** Reads that wait for a share or for the turn. */
  waiting(): number;
  /** Refused reads. */
  refused(): number;
}

interface PageBudgetOptions {
  readonly pageBytes: number;
  /** Most bytes of all pages in progress. One page is always allowed. */
  readonly budgetBytes: number;
  /** How long a read waits for its share, milliseconds. */
  readonly waitMs: number;
}

export function createPageBudget({ pageBytes, budgetBytes, waitMs }: PageBudgetOptions): PageBudget {
  const shareBytes = SHARE_PAGES * pageBytes;
  const shares = createTurns(Math.max(1, Math.floor(budgetBytes / shareBytes)), waitMs);
  const long = createTurns(1, waitMs);
  return {
    pageBytes,
    take: shares.take,
    takeLong: long.take,
    takenBytes: () => shares.taken() * shareBytes,
    waiting: () => shares.waiting() + long.waiting(),
    refused: () => shares.refused() + long.refused(),
  };
}

interface Turns {
  take(): Promise<Release | null>;
  taken(): number;
  waiting(): number;
  refused(): number;
}

/** A bounded number of turns, first come, first served. */
function createTurns(most: number, waitMs: number): Turns {
  const queue: ((turn: Release) => void)[] = [];
  let taken = 0;
  let refused = 0;
  const turn = (): Release => {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = queue.shift();
      if (next === undefined) taken--;
      else next(turn());
    };
  };
  const wait = (): Promise<Release | null> =>
    new Promise((resolve) => {
      const waiter = (given: Release) => {
        clearTimeout(timer);
        resolve(given);
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        refused++;
        resolve(null);
      }, waitMs);
      queue.push(waiter);
    });
  return {
    async take() {
      if (taken < most) {
        taken++;
        return turn();
      }
      if (queue.length < MAXIMUM_WAITING) return wait();
      refused++;
      return null;
    },
    taken: () => taken,
    waiting: () => queue.length,
    refused: () => refused,
  };
}
