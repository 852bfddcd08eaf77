// Bounds the reads of waiting calls that are in progress at once. Further reads queue; the bounds
// on waiting calls limit the queue. Rule: LONG1.

export interface ReadTurn {
  /** Resolves when the turn begins. */
  readonly ready: Promise<void>;
  /** Ends the turn, or leaves the queue; only the first call counts. */
  end(): void;
}

export function createReadTurns(most: number): { take(): ReadTurn } {
  /** The turns that have not begun, each with the function that begins it. */
  const queue = new Map<ReadTurn, () => void>();
  const running = new Set<ReadTurn>();

  function beginNext(): void {
    for (const [turn, begin] of queue) {
      if (running.size >= most) return;
      queue.delete(turn);
      running.add(turn);
      begin();
    }
  }

  return {
    take() {
      let begin = () => undefined as unknown;
      const ready = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const turn: ReadTurn = {
        ready,
        end() {
          queue.delete(turn);
          running.delete(turn);
          beginNext();
        },
      };
      queue.set(turn, begin);
      beginNext();
      return turn;
    },
  };
}
