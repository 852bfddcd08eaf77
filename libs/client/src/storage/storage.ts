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
}
