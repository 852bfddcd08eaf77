// A storage in a browser's IndexedDB, which the pages of the browser share.
//
// 1. Nodes and links are in chunks, each one record. A write rewrites the chunks that it changes, each
//    in a turn of its own.
// 2. Only the writer of the pages writes the graph; the others ignore it. A page that becomes the
//    writer begins with an empty graph, and writes its own in full.
// 3. The commands of a page have its id in their keys. They are returned to the page itself, and to
//    the page that takes over after its end.
// 4. After the deletion of the database, nothing is written: a part of a graph would pass for the
//    whole. A writer that finds the graph damaged, or gone since the browser has deleted it, writes
//    everything anew.
// 5. A read of the graph takes several turns, and is alone in the queue: no write changes the chunks
//    before the index knows them. If the connection is closed meanwhile, the read fails, since the next
//    one may find another graph.
// 6. A write of commands is given to the browser in the turn in which it begins, with its end: the
//    browser completes it even if the page ends before it hears of that.
import { type ChunkIndex, chunkEntries, chunkText, createChunkIndex } from './chunk-index.ts';
import {
  completionOf,
  type DatabaseFactory,
  ENTRIES,
  GRAPH,
  type ObjectStore,
  type OpenDatabase,
  openDatabase,
  openExistingDatabase,
  resultOf,
} from './indexed-databases.ts';
import { nextTurn } from './next-turn.ts';
import { type Channel, type Locks, openPageLocks, type PageLocks, whileUnused } from './page-locks.ts';
import { createSerialQueue } from './serial-queue.ts';
import { isEntityKey, META_KEY, type ReplicaStorage, type TakeOverListener } from './storage.ts';

/** The parts of a browser that the storage uses. Without locks, only one page may open the storage. */
export interface BrowserParts {
  readonly databases: DatabaseFactory;
  readonly locks?: Locks | undefined;
  readonly openChannel: (name: string) => Channel;
}

export interface IndexedDbStorage extends ReplicaStorage {
  /** Whether another page, or the browser, has deleted the database since it was loaded. */
  readonly isDeleted: boolean;
  /** Whether this key of a command or a refusal is one of another page. */
  isOfOther(key: string): boolean;
}

type Entries = ReadonlyMap<string, unknown>;

/** Chunks parsed in one turn: at most 4,096 entries, a quarter of a long task (50 ms). */
const CHUNKS_A_TURN = 16;

/**
 * Stores a replica in the database with this name. Rejects with the browser's error, such as a full
 * quota.
 */
export function indexedDbStorage(name: string, parts: BrowserParts = browserParts()): IndexedDbStorage {
  let opened: Promise<OpenDatabase> | null = null;
  let sharing: Promise<PageLocks | null> | null = null;
  /** Also after they are free: this page still has the commands that were its own. */
  let shared: PageLocks | null = null;
  let listener: TakeOverListener | null = null;
  /** What happened before there was a listener. */
  let missed: ((to: TakeOverListener) => void)[] = [];
  let promotions = 0;
  /** Null until the chunks of the database are read, and after a failure. */
  let index: ChunkIndex | null = null;
  /** Whether the next write of the graph replaces all of it. */
  let isReset = false;
  let isDeleted = false;
  /** Whether the database was closed since the graph was last read: the browser may have emptied it. */
  let isSuspect = false;
  /** How often a connection was closed, or could not be opened. */
  let closures = 0;
  /** Of the reads and writes of the graph: each decides by the chunks that the previous one left. */
  const queue = createSerialQueue();
  /** The writes of entries that have not ended. */
  const entryWrites = new Set<Promise<void>>();

  function database(): Promise<OpenDatabase> {
    if (opened !== null) return opened;
    // The next use opens the database again after a failure.
    const forget = () => {
      if (opened === opening) opened = null;
      index = null;
      closures++;
    };
    const opening = openDatabase(parts.databases, name, (deleted) => {
      if (deleted) {
        isDeleted = true;
        void endSharing();
      }
      isSuspect = true;
      forget();
    });
    opening.catch(forget);
    opened = opening;
    return opening;
  }

  function refuseDeleted(): void {
    if (isDeleted) throw new Error(`the database ${name} was deleted`);
  }

  async function writable(): Promise<OpenDatabase> {
    const open = await database();
    // It may have been deleted meanwhile.
    refuseDeleted();
    return open;
  }

  function report(event: (to: TakeOverListener) => void): void {
    if (listener === null) missed.push(event);
    else event(listener);
  }

  function share(): Promise<PageLocks | null> {
    const { locks, openChannel } = parts;
    if (locks === undefined) return Promise.resolve(null);
    sharing ??= openPageLocks({
      name,
      locks,
      openChannel,
      promoted() {
        isReset = true;
        promotions++;
        report((to) => to.graph());
      },
      ended: (other) => void reportCommands(other),
    });
    return sharing;
  }

  async function endSharing(): Promise<void> {
    const ending = sharing;
    sharing = null;
    await (await ending?.catch(() => null))?.stop();
  }

  async function reportCommands(of: string): Promise<void> {
    const entries = await readEntries(await database());
    const own = new Map([...entries].filter(([key]) => pageOf(key) === of));
    if (own.size > 0) report((to) => to.commands(own));
  }

  /** The commands of pages that are open are theirs. */
  async function ownEntries(entries: Entries): Promise<[string, unknown][]> {
    const locks = await share();
    const pages = new Set([...entries.keys()].map(pageOf));
    const claimed = new Map<string, boolean>();
    for (const of of pages) claimed.set(of, of === '' || locks === null || (await locks.claim(of)));
    for (const [of, isOwn] of claimed) if (!isOwn) locks?.awaitEnd(of);
    return [...entries].filter(([key]) => claimed.get(pageOf(key)));
  }

  /**
   * The graph in the database; none if a chunk is damaged, since the service has it. All chunks are of one
   * moment, but become entries in several turns. Throws if the database is closed meanwhile.
   */
  async function loadGraph(open: OpenDatabase): Promise<Map<string, unknown>> {
    const asOf = closures;
    const store = open.transaction([GRAPH], 'readonly').objectStore(GRAPH);
    const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
    const meta = keys.indexOf(META_KEY);
    const entries = new Map(meta < 0 ? [] : [[META_KEY, values[meta]]]);
    const read = createChunkIndex();
    for (const [at, key] of keys.entries()) {
      if (key === META_KEY) continue;
      if (at > 0 && at % CHUNKS_A_TURN === 0) await nextTurn();
      try {
        const chunk = chunkEntries(values[at]);
        for (const [each, value] of chunk) entries.set(each, value);
        read.restore(
          Number(key),
          chunk.map(([each]) => each),
        );
      } catch {
        isReset = true;
        return new Map();
      }
    }
    // Its next connection may find another graph, or none.
    if (closures !== asOf) throw new Error(`the database ${name} was closed`);
    index = read;
    return entries;
  }

  /** `asOf`: the promotions before the entries were given. One since then is followed by the whole graph. */
  async function writeGraph(entries: Entries, asOf: number): Promise<void> {
    refuseDeleted();
    const locks = await share();
    if (asOf !== promotions || (locks !== null && !locks.isWriter())) return;
    const open = await writable();
    if (isReset) index = createChunkIndex();
    else if (index === null) {
      const isWhole = (await loadGraph(open)).has(META_KEY) || !isSuspect;
      isSuspect = false;
      // The read resets the graph if a chunk is damaged.
      if (isReset || !isWhole) return loseAll();
    }
    const isFull = isReset;
    const placed = byChunk(entries, index ?? createChunkIndex());
    const transaction = open.transaction([GRAPH], 'readwrite', { durability: 'relaxed' });
    const store = transaction.objectStore(GRAPH);
    if (isFull) store.clear();
    let failure: unknown = null;
    const attempt = (act: () => void) => {
      try {
        act();
      } catch (error) {
        // Without this, the transaction would commit the rest.
        failure ??= error;
        transaction.abort();
      }
    };
    for (const [chunk, changes] of placed) {
      const stored = store.get(chunk);
      stored.onsuccess = () => attempt(() => rewriteChunk(store, chunk, { stored: stored.result, changes }));
    }
    if (entries.has(META_KEY)) attempt(() => putOrDelete(store, META_KEY, entries.get(META_KEY)));
    try {
      await completionOf(transaction);
      if (isFull) isReset = false;
    } catch (error) {
      index = null;
      throw failure ?? error;
    }
  }

  /** What was stored is gone or damaged. A part of the graph would pass for the whole. */
  function loseAll(): void {
    isReset = true;
    promotions++;
    report((to) => to.everything(new Map()));
  }

  async function writeEntries(entries: Entries): Promise<void> {
    refuseDeleted();
    const locks = await share();
    const transaction = (await writable()).transaction([ENTRIES], 'readwrite', { durability: 'strict' });
    const store = transaction.objectStore(ENTRIES);
    try {
      for (const [key, value] of entries) putOrDelete(store, key, value);
      // Without it, the browser waits for the page to hear of each entry, which it may not live to.
      transaction.commit();
    } catch (error) {
      transaction.abort();
      throw error;
    }
    await completionOf(transaction);
    locks?.announce();
  }

  /** Until it ends, the storage is not closed. */
  async function trackWrite(write: Promise<void>): Promise<void> {
    entryWrites.add(write);
    await write.finally(() => entryWrites.delete(write));
  }

  return {
    get page() {
      return shared?.page ?? '';
    },
    get isDeleted() {
      return isDeleted;
    },
    onTakeOver(given) {
      listener = given;
      for (const event of missed) event(given);
      missed = [];
    },
    async load() {
      isDeleted = false;
      isSuspect = false;
      shared = await share();
      const open = await database();
      const graph = await queue.run(() => loadGraph(open));
      for (const [key, value] of await ownEntries(await readEntries(open))) graph.set(key, value);
      return graph;
    },
    async write(entries) {
      const asOf = promotions;
      const isGraph = (key: string) => key === META_KEY || isEntityKey(key);
      const graph = new Map([...entries].filter(([key]) => isGraph(key)));
      const others = new Map([...entries].filter(([key]) => !isGraph(key)));
      if (others.size > 0) await trackWrite(writeEntries(others));
      if (graph.size > 0) await queue.run(() => writeGraph(graph, asOf));
    },
    isOfOther: (key) => shared !== null && pageOf(key) !== '' && !shared.isOwn(pageOf(key)),
    async close() {
      // Their callers hear of failures.
      await Promise.allSettled(entryWrites);
      await queue.drain();
      const closing = opened;
      opened = null;
      index = null;
      // A database that could not be opened needs no closing.
      (await closing?.catch(() => null))?.close();
      await endSharing();
    },
  };
}

/** Deletes the database with this name. Pages that have it open store nothing any more. */
export async function deleteIndexedDb(
  name: string,
  { databases }: Pick<BrowserParts, 'databases'> = browserParts(),
): Promise<void> {
  await resultOf(databases.deleteDatabase(name));
}

/**
 * All commands and refusals in the database with this name, which pages may have open, by their keys.
 * Needs no lock, and creates no database.
 */
export async function storedEntries(
  name: string,
  { databases }: Pick<BrowserParts, 'databases'> = browserParts(),
): Promise<Entries> {
  const open = await openExistingDatabase(databases, name);
  if (open === null) return new Map();
  try {
    return await readEntries(open);
  } finally {
    open.close();
  }
}

/**
 * Deletes the database with this name unless a page has it open, which goes on with it. Resolves with
 * whether no page had it open.
 */
export async function deleteUnusedIndexedDb(name: string, parts: BrowserParts = browserParts()): Promise<boolean> {
  const { locks } = parts;
  if (locks !== undefined) return whileUnused(name, locks, () => deleteIndexedDb(name, parts));
  // Without locks, only one page may open it.
  await deleteIndexedDb(name, parts);
  return true;
}

/**
 * Deletes the database unless an open page stores this user's graph in it. Call it after a sign-in, before
 * opening the database: a page of another user would go on writing.
 */
export async function deleteForeignIndexedDb(
  name: string,
  user: string,
  parts: BrowserParts = browserParts(),
): Promise<void> {
  if (await deleteUnusedIndexedDb(name, parts)) return;
  // A graph that cannot be read may be anybody's.
  const stored = await storedUser(name, parts).catch(() => null);
  if (stored !== user) await deleteIndexedDb(name, parts);
}

/** The user whose graph the database has; null if it has none. */
async function storedUser(name: string, { databases }: Pick<BrowserParts, 'databases'>): Promise<string | null> {
  const open = await openExistingDatabase(databases, name);
  if (open === null) return null;
  try {
    if (!open.objectStoreNames.contains(GRAPH)) return null;
    const meta = await resultOf(open.transaction([GRAPH], 'readonly').objectStore(GRAPH).get(META_KEY));
    return (meta as { readonly uid: string | null } | undefined)?.uid ?? null;
  } finally {
    open.close();
  }
}

/** The id of the page in a key such as `command/000000000001.ID`; empty if there is none. */
function pageOf(key: string): string {
  const [, page = ''] = key.split('.', 2);
  return page;
}

async function readEntries(open: OpenDatabase): Promise<Entries> {
  const store = open.transaction([ENTRIES], 'readonly').objectStore(ENTRIES);
  const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
  return new Map(keys.map((key, at) => [String(key), values[at]]));
}

/** The changed nodes and links by chunk. */
function byChunk(entries: Entries, index: ChunkIndex): Map<number, Map<string, unknown>> {
  const placed = new Map<number, Map<string, unknown>>();
  for (const [key, value] of entries) {
    if (key === META_KEY) continue;
    const chunk = value === undefined ? index.remove(key) : index.place(key);
    if (chunk === undefined) continue;
    placed.set(chunk, (placed.get(chunk) ?? new Map()).set(key, value));
  }
  return placed;
}

interface ChunkChange {
  /** The text of the chunk; undefined if it is new. */
  readonly stored: unknown;
  readonly changes: Entries;
}

function rewriteChunk(store: ObjectStore, chunk: number, { stored, changes }: ChunkChange): void {
  const entries = new Map(stored === undefined ? [] : chunkEntries(stored));
  for (const [key, value] of changes) {
    if (value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  putOrDelete(store, chunk, entries.size === 0 ? undefined : chunkText(entries));
}

function putOrDelete(store: ObjectStore, key: string | number, value: unknown): void {
  if (value === undefined) store.delete(key);
  else store.put(value, key);
}

function browserParts(): BrowserParts {
  const { indexedDB, navigator, BroadcastChannel } = globalThis as unknown as {
    indexedDB?: DatabaseFactory;
    navigator?: { readonly locks?: Locks };
    BroadcastChannel: new (name: string) => Channel;
  };
  if (indexedDB === undefined) throw new Error('this platform has no IndexedDB: use another storage');
  return { databases: indexedDB, locks: navigator?.locks, openChannel: (name) => new BroadcastChannel(name) };
}
