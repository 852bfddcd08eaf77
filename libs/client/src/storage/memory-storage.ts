// A storage that lasts as long as the program: for tests, and for replicas that one program opens
// again and again.
import type { ReplicaStorage } from './storage.ts';

/** Entries are copied on their way in and out, so that nobody changes what is stored. */
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
