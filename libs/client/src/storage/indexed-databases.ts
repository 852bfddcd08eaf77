// The part of IndexedDB that the storage uses, and its requests as promises.

/** A browser's `indexedDB` implements it. */
export interface DatabaseFactory {
  open(name: string, version?: number): OpenDatabaseRequest;
  deleteDatabase(name: string): DatabaseRequest<unknown>;
}
interface DatabaseRequest<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
}
interface OpenDatabaseRequest extends DatabaseRequest<OpenDatabase> {
  /** Of the upgrade, while it runs. */
  readonly transaction: Transaction | null;
  onupgradeneeded: ((event: never) => unknown) | null;
}
export interface OpenDatabase {
  readonly objectStoreNames: { contains(name: string): boolean };
  onclose: ((event: never) => unknown) | null;
  onversionchange: ((event: never) => unknown) | null;
  createObjectStore(name: string): unknown;
  transaction(
    stores: readonly string[],
    mode: 'readonly' | 'readwrite',
    options?: { durability: 'strict' | 'relaxed' },
  ): Transaction;
  close(): void;
}
export interface Transaction {
  readonly error: unknown;
  objectStore(name: string): ObjectStore;
  abort(): void;
  commit(): void;
  oncomplete: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  onabort: ((event: never) => unknown) | null;
}
export interface ObjectStore {
  put(value: unknown, key: string | number): unknown;
  delete(key: string | number): unknown;
  clear(): unknown;
  get(key: string | number): DatabaseRequest<unknown>;
  getAll(): DatabaseRequest<unknown[]>;
  getAllKeys(): DatabaseRequest<unknown[]>;
}

/** Nodes, links and their position, in chunks by number. */
export const GRAPH = 'graph';
/** All other entries, by key. */
export const ENTRIES = 'entries';

/** 1 had all entries in one store. */
const SCHEMA = 2;

/**
 * Opens the database, and creates or upgrades it. Calls `changed` when the browser closes it, or another
 * page upgrades or deletes it.
 */
export async function openDatabase(
  databases: DatabaseFactory,
  name: string,
  changed: (isDeleted: boolean) => void,
): Promise<OpenDatabase> {
  const request = databases.open(name, SCHEMA);
  request.onupgradeneeded = () => upgrade(request);
  const database = await resultOf(request);
  database.onclose = () => changed(false);
  // A request to delete or upgrade the database waits for this.
  database.onversionchange = ({ newVersion }: { readonly newVersion: number | null }) => {
    changed(newVersion === null);
    database.close();
  };
  return database;
}

/** Opens the database with this name, of whatever version; null if there is none. */
export async function openExistingDatabase(databases: DatabaseFactory, name: string): Promise<OpenDatabase | null> {
  const request = databases.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction?.abort();
  };
  try {
    const database = await resultOf(request);
    database.onversionchange = () => database.close();
    return database;
  } catch (error) {
    if (isNew) return null;
    throw error;
  }
}

/** The commands of an earlier schema stay. Its graph is dropped, since the service has it. */
function upgrade({ result, transaction }: OpenDatabaseRequest): void {
  result.createObjectStore(GRAPH);
  if (!result.objectStoreNames.contains(ENTRIES)) {
    result.createObjectStore(ENTRIES);
    return;
  }
  const store = transaction?.objectStore(ENTRIES);
  const keys = store?.getAllKeys();
  if (store === undefined || keys === undefined) return;
  keys.onsuccess = () => {
    for (const key of keys.result) if (!String(key).startsWith('command/')) store.delete(String(key));
  };
}

/** Resolves when the transaction is durable; rejects with the browser's error. */
export function completionOf(transaction: Transaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

export function resultOf<T>(request: DatabaseRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
