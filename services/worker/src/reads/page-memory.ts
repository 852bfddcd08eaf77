// The memory that a worker gives to pages: each that is under way has its share, and waits a little where all are taken. Rule: GEN11.

/**
 * The memory of a page while it is made, in sizes of a page: the texts as they were fetched, the answer as JSON, and the message on its
 * way.
 */
const SHARE_PAGES = 3;

/** Most reads that wait for a share; past it they are refused at once. */
const MAXIMUM_WAITING = 1_000;

/** Gives back what was taken; a second time it does nothing. */
export type GiveBack = () => void;

export interface PageBudget {
  /** Most bytes of one page. A single entity that is larger goes alone. */
  readonly pageBytes: number;
  /** Takes the share of one page; null where none came free in time. */
  take(): Promise<GiveBack | null>;
  /** Takes the worker's one turn for a stored text that is longer than a page; null where it did not come in time. */
  takeLong(): Promise<GiveBack | null>;
  /** Bytes of the shares that are taken. */
  takenBytes(): number;
  /** Reads that wait for a share or for the turn. */
  waiting(): number;
  /** Reads that were refused since none came free. */
  refused(): number;
}

interface Options {
  readonly pageBytes: number;
  /** Of all pages that are under way; one is, however little this is. */
  readonly budgetBytes: number;
  /** How long a read waits for its share, milliseconds. */
  readonly waitMs: number;
}

export function createPageBudget({ pageBytes, budgetBytes, waitMs }: Options): PageBudget {
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
  take(): Promise<GiveBack | null>;
  taken(): number;
  waiting(): number;
  refused(): number;
}

/** So many turns at once, first come, first served. */
function createTurns(most: number, waitMs: number): Turns {
  const queue: ((turn: GiveBack) => void)[] = [];
  let taken = 0;
  let refused = 0;
  const turn = (): GiveBack => {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = queue.shift();
      if (next === undefined) taken--;
      else next(turn());
    };
  };
  const wait = (): Promise<GiveBack | null> =>
    new Promise((resolve) => {
      const waiter = (given: GiveBack) => {
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
