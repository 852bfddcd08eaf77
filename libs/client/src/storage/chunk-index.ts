// Assigns the entries of a graph to chunks: a browser reads some hundred large records in a
// fraction of the time of as many small ones as the graph has nodes and links.
//
// Invariants:
// 1. Each entry is in exactly one chunk, and stays there until it is deleted.
// 2. No chunk has more entries than the maximum, so a change rewrites a bounded number of bytes.

/** Entries of a chunk. */
const CHUNK_ENTRIES = 256;

export interface ChunkIndex {
  /** The chunk of an entry. A new entry gets a chunk with space, or a new one. */
  place(key: string): number;
  /** Forgets an entry. Returns the chunk that had it. */
  remove(key: string): number | undefined;
}

/** `chunks`: the keys in each chunk that exists already. */
export function createChunkIndex(
  chunks: Iterable<readonly [number, Iterable<string>]> = [],
  most: number = CHUNK_ENTRIES,
): ChunkIndex {
  const places = new Map<string, number>();
  const sizes = new Map<number, number>();
  const withSpace = new Set<number>();
  let next = 0;
  const resize = (chunk: number, by: 1 | -1) => {
    const size = (sizes.get(chunk) ?? 0) + by;
    sizes.set(chunk, size);
    if (size < most) withSpace.add(chunk);
    else withSpace.delete(chunk);
  };
  const put = (key: string, chunk: number) => {
    places.set(key, chunk);
    resize(chunk, 1);
  };
  for (const [chunk, keys] of chunks) {
    next = Math.max(next, chunk + 1);
    withSpace.add(chunk);
    for (const key of keys) put(key, chunk);
  }
  return {
    place(key) {
      const known = places.get(key);
      if (known !== undefined) return known;
      const [free = next++] = withSpace;
      put(key, free);
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
