// The ranges that pages ask for.

/** A range of nodes or links: those past an id, without the first `skip`. */
export interface PageWindow {
  /** An id, or '' for the start. */
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

/** A range of links. */
export interface LinkWindow extends PageWindow {
  /** Whether an earlier page ended before the links, so that the scope is large. */
  readonly isContinued: boolean;
}
