// Bounds the reads of waiting calls that are in progress at once, in total and of one user. The
// others wait in their order; the calls themselves are bounded. Rule: LONG1.

export interface ReadTurn {
  /** Resolves when the turn begins. */
  readonly ready: Promise<void>;
  /** Ends the turn, or leaves the queue; only the first call counts. */
  readonly end: () => void;
}

interface QueuedTurn {
  readonly user: string;
  readonly begin: () => void;
}

export function createReadTurns(most: number, mostOfUser: number): { take(user: string): ReadTurn } {
  /** The turns that have not begun. */
  const queue = new Map<ReadTurn, QueuedTurn>();
  /** The turns that have begun, with their users, and their number by user. */
  const running = new Map<ReadTurn, string>();
  const byUser = new Map<string, number>();

  function count(user: string, change: number): void {
    const next = (byUser.get(user) ?? 0) + change;
    if (next === 0) byUser.delete(user);
    else byUser.set(user, next);
  }

  function beginNext(): void {
    for (const [turn, { user, begin }] of queue) {
      if (running.size >= most) return;
      if ((byUser.get(user) ?? 0) >= mostOfUser) continue;
      queue.delete(turn);
      running.set(turn, user);
      count(user, 1);
      begin();
    }
  }

  function end(turn: ReadTurn): void {
    const user = running.get(turn);
    queue.delete(turn);
    if (user === undefined) return;
    running.delete(turn);
    count(user, -1);
    beginNext();
  }

  return {
    take(user) {
      let begin = () => undefined as unknown;
      const ready = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const turn: ReadTurn = { ready, end: () => end(turn) };
      queue.set(turn, { user, begin });
      beginNext();
      return turn;
    },
  };
}
