// The part of a list of nodes or links that one page reads.

/** The nodes or links past an id, without the first `skip`. */
export interface PageWindow {
  /** An id, or '' for the start. */
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

export interface LinkWindow extends PageWindow {
  /** Whether an earlier page ended before the links, so that the scope is large. */
  readonly isContinued: boolean;
}
