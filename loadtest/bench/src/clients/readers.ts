// The acts of a process that reads graphs page by page. Both sides implement them.

/**
 * Identifies the graph: the service gets the reader's token, the bare driver the owner's id,
 * because it checks no access.
 */
export interface Read {
  readonly token: string;
  readonly ownerId: string;
  /** Nodes and links per page. */
  readonly limit: number;
}

export interface WalkResult {
  /** Milliseconds of each page in order, or of the whole stream. */
  readonly pages: readonly number[];
  /** The times of the pages that contain only links. */
  readonly linkPages: readonly number[];
  readonly entities: number;
  /** Bytes of the first page's content on the wire; 0 for the driver, which sends its pages nowhere. */
  readonly firstBytes: number;
}

export interface ReaderActs {
  /** Reads something small, so that connections are open and the reader is cached. */
  connect(read: Read): Promise<void>;
  /** Reads all pages in sequence. */
  walk(read: Read): Promise<WalkResult>;
}

/** The baseline can also read everything in one stream, its fastest way. */
export interface StreamingReaderActs extends ReaderActs {
  stream(read: Read): Promise<WalkResult>;
}
