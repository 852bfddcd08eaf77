// The part of IndexedDB that the storage uses, in memory. Transactions do not roll back.
import type { DatabaseFactory, OpenDatabase } from '../../storage/indexed-databases.ts';

type Store = Map<string | number, unknown>;
type Handler = ((event: never) => unknown) | null;

const fire = (handler: Handler, event: unknown = null) => handler?.(event as never);

/** A request that succeeds once its caller has set its handlers. */
function requestOf<T>(result: T) {
  const request = { result, error: null, onsuccess: null as Handler, onerror: null as Handler };
  queueMicrotask(() => fire(request.onsuccess));
  return request;
}

function objectStore(store: Store) {
  return {
    put: (value: unknown, key: string | number) => store.set(key, structuredClone(value)),
    delete: (key: string | number) => store.delete(key),
    clear: () => store.clear(),
    get: (key: string | number) => requestOf(store.get(key)),
    getAll: () => requestOf([...store.values()]),
    getAllKeys: () => requestOf([...store.keys()]),
  };
}

function transactionOn(stores: ReadonlyMap<string, Store>) {
  const transaction = {
    error: null,
    objectStore: (name: string) => objectStore(stores.get(name) as Store),
    abort: () => fire(transaction.onabort),
    commit: () => undefined,
    oncomplete: null as Handler,
    onerror: null as Handler,
    onabort: null as Handler,
  };
  // After the requests of this turn, and those that their handlers make.
  setTimeout(() => fire(transaction.oncomplete));
  return transaction;
}

/** Databases with one version. `closeAll`: as a browser that closes what is open, and may delete its data. */
export function createModelDatabases(): DatabaseFactory & { closeAll(isEmptied: boolean): void } {
  const databases = new Map<string, Map<string, Store>>();
  const opened = new Map<OpenDatabase, string>();
  return {
    open(name) {
      const isNew = !databases.has(name);
      const stores = databases.get(name) ?? new Map<string, Store>();
      databases.set(name, stores);
      const database: OpenDatabase = {
        objectStoreNames: { contains: (store) => stores.has(store) },
        onclose: null,
        onversionchange: null,
        createObjectStore: (store) => stores.set(store, new Map()),
        transaction: () => transactionOn(stores),
        close: () => opened.delete(database),
      };
      opened.set(database, name);
      const upgrade = { transaction: null, onupgradeneeded: null as Handler };
      // Before the success of the request.
      queueMicrotask(() => isNew && fire(request.onupgradeneeded));
      const request = Object.assign(requestOf(database), upgrade);
      return request;
    },
    deleteDatabase(name) {
      for (const [database, of] of opened) if (of === name) fire(database.onversionchange, { newVersion: null });
      databases.delete(name);
      return requestOf(undefined);
    },
    closeAll(isEmptied) {
      if (isEmptied) databases.clear();
      for (const database of [...opened.keys()]) fire(database.onclose);
      opened.clear();
    },
  };
}
