// A storage in a browser's IndexedDB, with one object store and one transaction for each batch.
import type { ReplicaStorage } from './storage.ts';

const STORE = 'entries';

/** The part of IndexedDB that the storage uses. A browser's `indexedDB` implements it. */
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
 * Stores a replica in the database with this name. Rejects with the browser's error, such as a full
 * quota. `databases` defaults to the browser's `indexedDB`.
 */
export function indexedDbStorage(name: string, databases: Databases = browsersOwn()): ReplicaStorage {
  let opened: Promise<OpenDatabase> | null = null;
  const database = () => {
    if (opened !== null) return opened;
    // The next use opens the database again after a failure, and after it was closed or deleted.
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
        // Without this, the transaction would commit the entries before a value that cannot be
        // stored.
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
      // A database that could not be opened needs no closing.
      (await closing?.catch(() => null))?.close();
    },
  };
}

function browsersOwn(): Databases {
  const { indexedDB } = globalThis as unknown as { indexedDB?: Databases };
  if (indexedDB === undefined) throw new Error('this platform has no IndexedDB: use another storage');
  return indexedDB;
}

async function openDatabase(databases: Databases, name: string, gone: () => void): Promise<OpenDatabase> {
  const request = databases.open(name, 1);
  request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
  const database = await resultOf(request);
  database.onclose = gone;
  // A request to delete or upgrade the database waits for this.
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
