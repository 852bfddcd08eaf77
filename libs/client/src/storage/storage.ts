// The storage of a replica. It writes each batch in full or not at all.

/** Values are JSON data. */
export interface ReplicaStorage {
  /** All entries, by key. */
  load(): Promise<ReadonlyMap<string, unknown>>;
  /**
   * Writes all of these entries or none; `undefined` deletes an entry. Resolves when they are
   * durable.
   */
  write(entries: ReadonlyMap<string, unknown>): Promise<void>;
  close(): Promise<void>;
  /** For a storage that several pages may open: ends the keys of this page's own commands. */
  readonly page?: string;
  /** Reports what this page has to take over from others, until the storage is closed. */
  onTakeOver?(listener: TakeOverListener): void;
}

export interface TakeOverListener {
  /** This page writes the graph from now on, and the storage has none: all of it is to be written. */
  graph(): void;
  /**
   * The storage has nothing but these entries, which may be out of date: the graph and all commands are
   * to be written. The commands among them are this page's now.
   */
  everything(stored: ReadonlyMap<string, unknown>): void;
  /** The commands and refusals of a page that has ended. */
  commands(entries: ReadonlyMap<string, unknown>): void;
}

/** The keys of nodes and links begin with these. */
export const ENTITY_PREFIX = { nodes: 'node/', links: 'link/' } as const;
/** The key of the position of the graph. */
export const META_KEY = 'meta';

export function isEntityKey(key: string): boolean {
  return key.startsWith(ENTITY_PREFIX.nodes) || key.startsWith(ENTITY_PREFIX.links);
}
