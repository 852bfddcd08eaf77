// The indexes of readers, in bounded memory: the least recently used one is evicted. Rule: FIND7.
import { LRUCache } from 'lru-cache';
import { NodeIndex } from './node-index.ts';

export interface NodeIndexes {
  /**
   * Runs `work` on a reader's index of the nodes past an id. Calls for one index run one after
   * another.
   */
  use<T>(
    request: { readonly readerId: string; readonly from: string },
    work: (index: NodeIndex) => Promise<T>,
  ): Promise<T>;
  bytes(): number;
}

/** Of an empty index, bytes. */
const INDEX_BYTES = 1_000;

/** Indexes of so many bytes. 0 disables the memory: each search reads its nodes. */
export function createNodeIndexes(mostBytes: number): NodeIndexes {
  const indexes = new LRUCache<string, NodeIndex>({ maxSize: Math.max(1, mostBytes) });
  const running = new Map<string, Promise<unknown>>();
  return {
    async use<T>({ readerId, from }: { readerId: string; from: string }, work: (index: NodeIndex) => Promise<T>) {
      const key = `${readerId} ${from}`;
      const before = running.get(key);
      const run = (async () => {
        await before?.catch(() => undefined);
        const index = indexes.get(key) ?? new NodeIndex(from);
        // While it changes, its size is unknown. A failed update loses the index.
        indexes.delete(key);
        const result = await work(index);
        indexes.set(key, index, { size: INDEX_BYTES + index.bytes });
        return result;
      })();
      running.set(key, run);
      try {
        return await run;
      } finally {
        if (running.get(key) === run) running.delete(key);
      }
    },
    bytes: () => indexes.calculatedSize,
  };
}
