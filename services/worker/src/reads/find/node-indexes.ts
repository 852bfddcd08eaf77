// The indexes of readers, in bounded memory: the least recently used one is evicted. Rule: FIND7.
import { LRUCache } from 'lru-cache';
import { NodeIndex } from './node-index.ts';

export interface NodeIndexes {
  /**
   * Runs `work` on a reader's index of the nodes after an id. Calls for the same index run one
   * after another.
   */
  use<T>(
    request: { readonly readerId: string; readonly from: string },
    work: (index: NodeIndex) => Promise<T>,
  ): Promise<T>;
  bytes(): number;
}

/** The size of an empty index, bytes. */
const INDEX_BYTES = 1_000;

/**
 * Caches indexes of at most this number of bytes. 0 disables the cache: each search reads its
 * nodes.
 */
export function createNodeIndexes(mostBytes: number): NodeIndexes {
  const indexes = new LRUCache<string, NodeIndex>({ maxSize: Math.max(1, mostBytes) });
  const running = new Map<string, Promise<unknown>>();
  /** Those in use are not in the cache. */
  const used = new Set<NodeIndex>();
  return {
    async use<T>({ readerId, from }: { readerId: string; from: string }, work: (index: NodeIndex) => Promise<T>) {
      const key = `${readerId} ${from}`;
      const before = running.get(key);
      const run = (async () => {
        await before?.catch(() => undefined);
        const index = indexes.get(key) ?? new NodeIndex(from);
        // The size of an index changes during the work. If the work fails, the index is dropped.
        indexes.delete(key);
        used.add(index);
        try {
          const result = await work(index);
          indexes.set(key, index, { size: INDEX_BYTES + index.bytes });
          return result;
        } finally {
          used.delete(index);
        }
      })();
      running.set(key, run);
      try {
        return await run;
      } finally {
        if (running.get(key) === run) running.delete(key);
      }
    },
    bytes: () => [...used].reduce((sum, { bytes }) => sum + bytes, indexes.calculatedSize),
  };
}
