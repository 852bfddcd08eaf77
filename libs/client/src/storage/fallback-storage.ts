// A storage that a replica can do without: after a failure, or while it is turned off, the replica is
// in memory alone.
//
// Each page decides for itself. What another page has open stays, with the commands in it: the writer of
// the graph keeps it current, and the commands of a page that stores nothing any more are taken over.
import {
  deleteIndexedDb,
  deleteUnusedIndexedDb,
  type IndexedDbStorage,
  indexedDbStorage,
  storedEntries,
} from './indexed-db-storage.ts';
import { createSerialQueue } from './serial-queue.ts';
import type { ReplicaStorage, TakeOverListener } from './storage.ts';

export interface FallbackStorage extends ReplicaStorage {
  /** Whether entries are stored. Not after another page has deleted the database. */
  readonly isStoring: boolean;
  /**
   * Stores everything from now on, also after another page has deleted the database. `isStoring` says
   * whether it does: a failure is reported.
   */
  turnOn(): Promise<void>;
  /**
   * Stores nothing from now on, and deletes what is stored, for all pages. What others stored after a
   * deletion stays, unless `all` of it is to be deleted.
   */
  turnOff(options?: { readonly all?: boolean }): Promise<void>;
  /**
   * The commands (`command/…`) and refusals (`refused/…`) of other pages that `turnOff` would delete, also
   * if this page stores nothing any more. Rejects with the browser's error.
   */
  entriesOfOthers(): Promise<ReadonlyMap<string, unknown>>;
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
  /** The last one that was released. */
  let former: IndexedDbStorage | null = null;
  /** Whether another page has deleted the database. It may have made another one since. */
  let isForeign = false;
  let listener: TakeOverListener | null = null;
  /** What was stored when it was turned on, before there was a listener. */
  let missed: { readonly by: IndexedDbStorage; readonly stored: ReadonlyMap<string, unknown> } | null = null;
  let isLoaded = false;
  /** Its last writes may still fail. */
  let closed: IndexedDbStorage | null = null;
  /** Of the switches: each begins with what the previous one left open. */
  const queue = createSerialQueue();

  async function abandonStorage(broken: IndexedDbStorage, error: unknown): Promise<void> {
    // What is stored stays for the next page: the last graph was written before.
    if (broken === closed) failed(error);
    if (broken !== inner) return;
    release();
    failed(error);
    await broken.close().catch(failed);
    // What is stored is out of date, so a later page must not show it. A later release may read its own.
    const isOfLaterRelease = (error as Error | null)?.name === 'VersionError';
    if (!isForeign && !isOfLaterRelease) await deleteUnusedIndexedDb(name).catch(failed);
  }

  function release(): IndexedDbStorage | null {
    const released = inner;
    inner = null;
    former = released ?? former;
    isForeign ||= released?.isDeleted === true;
    return released;
  }

  function open(): IndexedDbStorage | null {
    try {
      return indexedDbStorage(name);
    } catch (error) {
      failed(error);
      return null;
    }
  }

  async function turnOn(): Promise<void> {
    if (inner !== null && !inner.isDeleted) return;
    await release()?.close();
    const opened = open();
    if (opened === null || !isLoaded) {
      inner = opened;
      return;
    }
    try {
      const stored = await opened.load();
      // From here on in one turn: a part of the graph would pass for the whole.
      inner = opened;
      isForeign = false;
      if (listener === null) {
        missed = { by: opened, stored };
        return;
      }
      opened.onTakeOver?.(listener);
      listener.everything(stored);
    } catch (error) {
      failed(error);
      await opened.close().catch(failed);
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
      // The replica has loaded another graph, or none.
      if (missed !== null && missed.by === inner) given.everything(missed.stored);
      missed = null;
    },
    async load() {
      isLoaded = true;
      const used = inner;
      if (used === null) return new Map();
      try {
        return await used.load();
      } catch (error) {
        await abandonStorage(used, error);
        return new Map();
      }
    },
    async write(entries) {
      const used = inner;
      await used?.write(entries).catch((error: unknown) => abandonStorage(used, error));
    },
    close: () =>
      queue.run(async () => {
        closed = release();
        listener = null;
        missed = null;
        isLoaded = false;
        await closed?.close();
      }),
    turnOn: () => queue.run(turnOn),
    turnOff: ({ all = false } = {}) =>
      queue.run(async () => {
        await release()?.close();
        if (all || !isForeign) await deleteIndexedDb(name);
      }),
    async entriesOfOthers() {
      if (isForeign || inner?.isDeleted === true) return new Map();
      const entries = await storedEntries(name);
      const last = inner ?? former;
      return last === null ? entries : new Map([...entries].filter(([key]) => last.isOfOther(key)));
    },
  };
}
