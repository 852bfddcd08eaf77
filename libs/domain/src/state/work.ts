// Counts the work of a decision: its changes, and the entries that its walks and copies visit. A
// decision that exceeds a bound throws at once. Rule: LIM5.

/** The most work of one decision. */
export interface WorkBounds {
  /** Changes, including those of memberships and counters. */
  readonly changes: number;
  /** Entries that walks, copies of lists and slices visit. */
  readonly steps: number;
}

/** Storing and sending one change takes about as long as this many steps. */
export const STEPS_OF_A_CHANGE = 25;

/**
 * Thrown when a decision exceeds a bound. The caller that set the bound decides the command
 * elsewhere or refuses it.
 */
export class TooMuchWork extends Error {
  readonly kind: keyof WorkBounds;
  readonly most: number;
  /** The operation of a batch that exceeded the bound. */
  index: number | undefined;
  constructor(kind: keyof WorkBounds, most: number) {
    super(`more than ${most} ${kind}`);
    this.kind = kind;
    this.most = most;
  }
}

/** Counts the work of one decision. */
export class Work {
  #changes = 0;
  #steps = 0;
  readonly #most: WorkBounds;

  constructor(most: WorkBounds) {
    this.#most = most;
  }

  change(count = 1): void {
    this.#changes += count;
    if (this.#changes > this.#most.changes) throw new TooMuchWork('changes', this.#most.changes);
  }

  pass(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#most.steps) throw new TooMuchWork('steps', this.#most.steps);
  }

  /** Changes and steps together, in changes. */
  get total(): number {
    return this.#changes + Math.floor(this.#steps / STEPS_OF_A_CHANGE);
  }
}
