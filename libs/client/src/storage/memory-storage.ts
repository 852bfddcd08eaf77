// A storage in memory, for tests and for replicas that one program opens repeatedly.
import type { ReplicaStorage } from './storage.ts';

/** Copies entries when they are written and loaded, so that callers cannot change stored values. */
export function memoryStorage(): ReplicaStorage {
  const stored = new Map<string, string>();
  return {
    load: async () => new Map([...stored].map(([key, text]) => [key, JSON.parse(text) as unknown])),
    async write(entries) {
      for (const [key, value] of entries) {
        if (value === undefined) stored.delete(key);
        else stored.set(key, JSON.stringify(value));
      }
    },
    close: async () => undefined,
  };
}
