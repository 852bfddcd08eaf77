// A storage in a browser's IndexedDB: one object store, and a transaction for each batch.
import type { ReplicaStorage } from './storage.ts';

const STORE = 'entries';

/** The part of IndexedDB that is used here; a browser's `indexedDB` is one. */
export interface Databases {
  open(name: string, version: number): OpenRequest;
}
interface Request<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
}
interface OpenRequest extends Request<OpenDatabase> {
  onupgradeneeded: ((event: never) => unknown) | null;
}
interface OpenDatabase {
  onclose: ((event: never) => unknown) | null;
  onversionchange: ((event: never) => unknown) | null;
  createObjectStore(name: string): unknown;
  transaction(stores: string, mode: 'readonly' | 'readwrite', options?: { durability: 'strict' }): Transaction;
  close(): void;
}
interface Transaction {
  readonly error: unknown;
  objectStore(name: string): ObjectStore;
  abort(): void;
  oncomplete: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  onabort: ((event: never) => unknown) | null;
}
interface ObjectStore {
  put(value: unknown, key: string): unknown;
  delete(key: string): unknown;
  getAll(): Request<unknown[]>;
  getAllKeys(): Request<unknown[]>;
}

/**
 * Keeps a replica in the database of this name. Rejects with the browser's error, such as where its
 * quota is used up. `databases` is the browser's `indexedDB` if not given.
 */
export function indexedDbStorage(name: string, databases: Databases = browsersOwn()): ReplicaStorage {
  let opened: Promise<OpenDatabase> | null = null;
  const database = () => {
    if (opened !== null) return opened;
    // It is opened again at the next use where that failed, where the browser closed it, and where
    // somebody deletes it.
    const forget = () => {
      if (opened === opening) opened = null;
    };
    const opening = openDatabase(databases, name, forget);
    opening.catch(forget);
    opened = opening;
    return opening;
  };
  return {
    async load() {
      const store = (await database()).transaction(STORE, 'readonly').objectStore(STORE);
      const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
      return new Map(keys.map((key, index) => [String(key), values[index]]));
    },
    async write(entries) {
      const transaction = (await database()).transaction(STORE, 'readwrite', { durability: 'strict' });
      const store = transaction.objectStore(STORE);
      try {
        for (const [key, value] of entries) {
          if (value === undefined) store.delete(key);
          else store.put(value, key);
        }
      } catch (error) {
        // A value that can't be stored would leave those before it in the transaction, which
        // commits by itself.
        transaction.abort();
        throw error;
      }
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onerror = () => reject(transaction.error);
        transaction.onabort = () => reject(transaction.error);
      });
    },
    async close() {
      const closing = opened;
      opened = null;
      // One that could not be opened needs no closing.
      (await closing?.catch(() => null))?.close();
    },
  };
}

function browsersOwn(): Databases {
  const { indexedDB } = globalThis as unknown as { indexedDB?: Databases };
  if (indexedDB === undefined) throw new Error('there is no IndexedDB here: use another storage');
  return indexedDB;
}

async function openDatabase(databases: Databases, name: string, gone: () => void): Promise<OpenDatabase> {
  const request = databases.open(name, 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
  const database = await resultOf(request);
  database.onclose = gone;
  // A request that deletes the database, or brings a later version, waits for this.
  database.onversionchange = () => {
    gone();
    database.close();
  };
  return database;
}

function resultOf<T>(request: Request<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
