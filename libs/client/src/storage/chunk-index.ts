// Assigns the entries of a graph to chunks: a browser reads some hundred large records in a
// fraction of the time of as many small ones as the graph has nodes and links.
//
// Invariants:
// 1. Each entry is in exactly one chunk, and stays there until it is deleted.
// 2. No chunk has more entries than the maximum, so a change rewrites a bounded number of bytes.

/** Entries of a chunk. */
const CHUNK_ENTRIES = 256;

export interface ChunkIndex {
  /** Adds a chunk that exists already, with the keys in it. */
  restore(chunk: number, keys: Iterable<string>): void;
  /** The chunk of an entry. A new entry gets a chunk with space, or a new one. */
  place(key: string): number;
  /** Forgets an entry. Returns the chunk that had it. */
  remove(key: string): number | undefined;
}

export function createChunkIndex(most: number = CHUNK_ENTRIES): ChunkIndex {
  const places = new Map<string, number>();
  const sizes = new Map<number, number>();
  const withSpace = new Set<number>();
  let next = 0;
  const resize = (chunk: number, by: number) => {
    const size = (sizes.get(chunk) ?? 0) + by;
    sizes.set(chunk, size);
    if (size < most) withSpace.add(chunk);
    else withSpace.delete(chunk);
  };
  return {
    restore(chunk, keys) {
      next = Math.max(next, chunk + 1);
      let size = 0;
      for (const key of keys) {
        places.set(key, chunk);
        size++;
      }
      resize(chunk, size);
    },
    place(key) {
      const known = places.get(key);
      if (known !== undefined) return known;
      const [free = next++] = withSpace;
      places.set(key, free);
      resize(free, 1);
      return free;
    },
    remove(key) {
      const chunk = places.get(key);
      if (chunk === undefined) return undefined;
      places.delete(key);
      resize(chunk, -1);
      return chunk;
    },
  };
}

/** A chunk as it is stored. */
export function chunkText(entries: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...entries]);
}

/** The entries of a stored chunk. Throws if it is damaged. */
export function chunkEntries(text: unknown): [string, unknown][] {
  const entries: unknown = JSON.parse(String(text));
  if (!Array.isArray(entries) || !entries.every((each) => Array.isArray(each) && typeof each[0] === 'string'))
    throw new Error('the chunk is damaged');
  return entries;
}
