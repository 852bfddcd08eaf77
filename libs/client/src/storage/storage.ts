// The needs of a replica in a storage: to find again what it wrote, whole batches of it or nothing.

/** Values are plain data, as JSON holds it. */
export interface ReplicaStorage {
  /** All entries, by key. */
  load(): Promise<ReadonlyMap<string, unknown>>;
  /**
   * Writes all of these entries or none; `undefined` deletes one. Resolves when they outlast the
   * end of the process.
   */
  write(entries: ReadonlyMap<string, unknown>): Promise<void>;
  close(): Promise<void>;
}
