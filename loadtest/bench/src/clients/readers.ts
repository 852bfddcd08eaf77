// The acts of a process that reads graphs page by page. Both sides implement them.

/** Names the graph: ours is asked with the reader's token, the bare driver for the owner's nodes, since it knows no access. */
export interface Read {
  readonly token: string;
  readonly ownerId: string;
  /** Nodes and links a page. */
  readonly limit: number;
}

export interface Walked {
  /** Milliseconds of each page, in order; of the whole where it was read in one stream. */
  readonly pages: readonly number[];
  /** Those of them that hold links alone. */
  readonly linkPages: readonly number[];
  readonly entities: number;
}

export interface ReaderActs {
  /** Reads something small, so that connections stand and the reader is known. */
  greet(read: Read): Promise<void>;
  /** Reads all pages, one after the other. */
  walk(read: Read): Promise<Walked>;
}

/** The baseline can also have everything in one stream, which is how it is fastest. */
export interface StreamingReaderActs extends ReaderActs {
  stream(read: Read): Promise<Walked>;
}
