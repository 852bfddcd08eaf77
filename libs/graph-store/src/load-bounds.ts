// How much of the graph a group may load.

export interface LoadBounds {
  /** Most entities that one start of a walk may bring. */
  readonly entities: number;
  /**
   * For one command whose surroundings are too large to load with others: paths are searched by the database, and cascades are loaded
   * in one go instead of a round a step.
   */
  readonly alone: boolean;
}

/** The bounds of a load, and the starts that turn out to pass them. */
export interface Limit {
  readonly bounds: LoadBounds;
  readonly overflowing: Set<string>;
}
