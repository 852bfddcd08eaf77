// The time at which the first grant behind a reader's access expires. Rules: ACL5, ACL7.

/**
 * The earliest end of the grants that a read relies on. A read may find more of them while it runs,
 * so an access and its completions share one object. Times are ISO 8601 in UTC with milliseconds.
 */
export class EarliestEnd {
  #time: string | undefined;

  /** Undefined if none of the grants ends. */
  get time(): string | undefined {
    return this.#time;
  }

  /** Adds the `due` of a grant. */
  include(due: string | null): void {
    if (due !== null && (this.#time === undefined || due < this.#time)) this.#time = due;
  }

  /** Whether one of the grants is no longer in force. */
  hasPassed(now: string): boolean {
    return this.#time !== undefined && this.#time <= now;
  }
}
