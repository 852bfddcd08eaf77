// A storage that a replica can do without: after a failure, or while it is turned off, the replica is
// in memory alone.
import { deleteIndexedDb, type IndexedDbStorage, indexedDbStorage } from './indexed-db-storage.ts';
import type { ReplicaStorage, TakeOverListener } from './storage.ts';

export interface FallbackStorage extends ReplicaStorage {
  /** Whether entries are stored. Not after another page has deleted the database. */
  readonly isStoring: boolean;
  /** Stores everything from now on. */
  turnOn(): Promise<void>;
  /** Stores nothing from now on, and deletes what is stored. What others stored after a deletion stays. */
  turnOff(): Promise<void>;
}

export interface FallbackOptions {
  /** Whether it begins turned on. Default: true. */
  readonly isOn?: boolean;
  /** Reports why nothing is stored any more. */
  readonly failed: (error: unknown) => void;
}

/** A storage in the IndexedDB of a browser, under this name. Its writes never fail. */
export function fallbackStorage(name: string, { isOn = true, failed }: FallbackOptions): FallbackStorage {
  let inner: IndexedDbStorage | null = null;
  /** Whether another page has deleted the database. It may have made another one since. */
  let isForeign = false;
  let listener: TakeOverListener | null = null;
  let isLoaded = false;

  async function abandonStorage(error: unknown): Promise<void> {
    const broken = release();
    if (broken === null) return;
    failed(error);
    await broken.close().catch(failed);
    // What is stored is out of date, so a later page must not show it. A later release may read its own.
    if ((error as Error | null)?.name !== 'VersionError') await remove().catch(failed);
  }

  function release(): IndexedDbStorage | null {
    const released = inner;
    inner = null;
    isForeign ||= released?.isDeleted === true;
    return released;
  }

  async function remove(): Promise<void> {
    if (!isForeign) await deleteIndexedDb(name);
  }

  function open(): IndexedDbStorage | null {
    try {
      return indexedDbStorage(name);
    } catch (error) {
      failed(error);
      return null;
    }
  }

  if (isOn) inner = open();
  return {
    get isStoring() {
      return inner !== null && !inner.isDeleted;
    },
    get page() {
      return inner?.page ?? '';
    },
    onTakeOver(given) {
      listener = given;
      inner?.onTakeOver?.(given);
    },
    async load() {
      isLoaded = true;
      try {
        return (await inner?.load()) ?? new Map();
      } catch (error) {
        await abandonStorage(error);
        return new Map();
      }
    },
    async write(entries) {
      await inner?.write(entries).catch(abandonStorage);
    },
    async close() {
      await inner?.close();
    },
    async turnOn() {
      if (inner !== null) return;
      inner = open();
      if (inner === null || !isLoaded) return;
      try {
        // What is left there is out of date.
        await deleteIndexedDb(name);
        isForeign = false;
        await inner.load();
      } catch (error) {
        return abandonStorage(error);
      }
      if (listener === null) return;
      inner.onTakeOver?.(listener);
      listener.everything();
    },
    async turnOff() {
      await release()?.close();
      await remove();
    },
  };
}
