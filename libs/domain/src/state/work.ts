// The work of a decision: how much it changes, and how many entries its walks and copies pass. A decision that passes its bounds ends there.
// Rule: LIM5.

/** The most work of one decision. */
export interface WorkBounds {
  /** Changes, with memberships and counters. */
  readonly changes: number;
  /** Entries that walks, copies of lists and slices pass. */
  readonly steps: number;
}

/** About as many steps take as long as one change, which is stored, told and answered. */
export const STEPS_OF_A_CHANGE = 25;

/** Thrown where a decision passes a bound: whoever gave the bound decides it elsewhere, or refuses it. */
export class TooMuchWork extends Error {
  readonly kind: keyof WorkBounds;
  readonly most: number;
  /** The operation of a batch that passed the bound. */
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

  get changes(): number {
    return this.#changes;
  }

  get steps(): number {
    return this.#steps;
  }

  /** All of it, as a number of changes. */
  get total(): number {
    return this.#changes + Math.floor(this.#steps / STEPS_OF_A_CHANGE);
  }
}
