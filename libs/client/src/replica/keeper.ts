// Keeps a replica in its storage: what changed since the last write, with the position that it is of, in one batch. The graph
// that an earlier run left is its reader's alone. Rules: EVT2, ACL7.
import type { Entity } from '../merge-diff.ts';
import { isSameReader, type Reader } from '../reader.ts';
import { retryWaitMs } from '../retry.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import type { Entities, HeldNode, Kind } from './entities.ts';
import type { Healer } from './healer.ts';
import type { Levels } from './levels.ts';
import type { Progress } from './progress.ts';
import type { Reading } from './reading.ts';

/** How far the stored graph is, and whose it is. */
export interface Meta {
  readonly uid: string | null;
  /** The hash of the credentials that it was read with; missing where an earlier release stored it. */
  readonly credentials?: string | null;
  /** Null where the whole graph has to be read. */
  readonly position: string | null;
  /** The numbers that the position stands for. */
  readonly positionHeads: Readonly<Record<string, number>>;
  /** The numbers up to which nothing is missing, and the levels, of the feeds that are read. */
  readonly heads: Readonly<Record<string, number>>;
  readonly levels: Readonly<Record<string, number | null>>;
  readonly email: string | null;
}

interface StoredNode extends Omit<HeldNode, 'via'> {
  readonly via: readonly string[];
}

export interface Stored {
  readonly meta: Meta;
  readonly nodes: readonly HeldNode[];
  readonly links: readonly Entity[];
}

export interface Keeper {
  /** Takes in that an entity changed, or went: that is written at once, so that no restart shows it again. */
  touch(kind: Kind, id: string): void;
  /** Takes in that the position moved. */
  touchMeta(): void;
  /** Takes in that a stored graph is not this reader's to find any more. */
  discard(entries: ReadonlyMap<string, unknown>): void;
  /** Writes all that is not written yet. */
  flush(): Promise<void>;
}

interface KeeperParts {
  readonly storage: ReplicaStorage;
  readonly entities: Pick<Entities, 'nodes' | 'links'>;
  readonly meta: () => Meta;
  readonly failed: (error: unknown) => void;
}

const META = 'meta';
const PREFIX = { nodes: 'node/', links: 'link/' } as const;
const WRITE_AFTER_MS = 500;

export function createKeeper({ storage, entities, meta, failed }: KeeperParts): Keeper {
  let dirty = new Map<string, () => unknown>();
  let timer: { readonly handle: ReturnType<typeof setTimeout>; readonly waitMs: number } | null = null;
  let writing: Promise<void> | null = null;
  let attempts = 0;
  let isUrgent = false;

  function schedule(waitMs: number): void {
    isUrgent ||= waitMs === 0;
    if (writing !== null || (timer !== null && timer.waitMs <= waitMs)) return;
    if (timer !== null) clearTimeout(timer.handle);
    timer = { handle: setTimeout(() => void write(), waitMs), waitMs };
  }

  async function write(): Promise<void> {
    if (timer !== null) clearTimeout(timer.handle);
    timer = null;
    isUrgent = false;
    const due = dirty;
    dirty = new Map();
    // All of one moment: what is written of an entity may be later than the position, but never before it.
    const batch = new Map([...due].map(([key, value]) => [key, value()]));
    writing = storage.write(batch).then(
      () => {
        attempts = 0;
      },
      (error: unknown) => {
        dirty = new Map([...due, ...dirty]);
        attempts++;
        failed(error);
      },
    );
    await writing;
    writing = null;
    if (dirty.size > 0) schedule(attempts > 0 ? retryWaitMs(attempts) : isUrgent ? 0 : WRITE_AFTER_MS);
  }

  const touch = (key: string, value: () => unknown, waitMs: number) => {
    dirty.set(key, value);
    dirty.set(META, meta);
    schedule(waitMs);
  };
  const touchEntity = (kind: Kind, id: string) => {
    if (kind === 'nodes')
      touch(PREFIX.nodes + id, () => storedNode(entities.nodes.get(id)), entities.nodes.has(id) ? WRITE_AFTER_MS : 0);
    else touch(PREFIX.links + id, () => entities.links.get(id), entities.links.has(id) ? WRITE_AFTER_MS : 0);
  };
  return {
    touch: touchEntity,
    touchMeta: () => touch(META, meta, WRITE_AFTER_MS),
    discard(entries) {
      for (const kind of ['nodes', 'links'] as const) {
        const prefix = PREFIX[kind];
        for (const key of entries.keys()) if (key.startsWith(prefix)) touchEntity(kind, key.slice(prefix.length));
      }
    },
    async flush() {
      if (writing !== null) await writing;
      if (dirty.size > 0) await write();
      if (timer !== null) clearTimeout(timer.handle);
      timer = null;
    },
  };
}

function storedNode(held: HeldNode | undefined): StoredNode | undefined {
  return held && { ...held, via: [...held.via] };
}

/** The graph in a storage; null where it holds none. */
export function storedGraph(entries: ReadonlyMap<string, unknown>): Stored | null {
  const meta = entries.get(META) as Meta | undefined;
  if (meta === undefined) return null;
  const of = (prefix: string) => [...entries].filter(([key]) => key.startsWith(prefix)).map(([, value]) => value);
  const nodes = (of(PREFIX.nodes) as StoredNode[]).map((node) => ({ ...node, via: new Set(node.via) }));
  return { meta, nodes, links: of(PREFIX.links) as Entity[] };
}

/** The graph that an earlier run left: it is shown and written over only once it is proven to be of the same reader. */
export interface StoredGraph {
  /** Restores the graph if it is proven to be the reader's. `isFinal`: no proof can come later, and the storage deletes it otherwise. */
  settle(isFinal: boolean): void;
  /** Deletes the graph unless it was restored. */
  discard(): void;
  /** The meta entry of a graph that is neither restored nor deleted yet. */
  meta(): Meta | null;
}

interface StoredGraphParts {
  readonly reader: () => Reader;
  readonly restore: (graph: Stored) => void;
  readonly discard: (entries: ReadonlyMap<string, unknown>) => void;
}

export function createStoredGraph(entries: ReadonlyMap<string, unknown>, parts: StoredGraphParts): StoredGraph {
  let waiting = storedGraph(entries);
  const discard = () => {
    if (waiting !== null) parts.discard(entries);
    waiting = null;
  };
  // Without a meta entry nobody can tell whose the nodes and links are.
  if (waiting === null) parts.discard(entries);
  return {
    settle(isFinal) {
      if (waiting === null) return;
      const graph = waiting;
      const { credentials = null, uid } = graph.meta;
      if (isSameReader({ credentials, user: uid }, parts.reader())) {
        waiting = null;
        parts.restore(graph);
      } else if (isFinal) discard();
    },
    discard,
    meta: () => waiting?.meta ?? null,
  };
}

interface CopyState {
  readonly healer: Pick<Healer, 'position' | 'positionHeads'>;
  readonly levels: Pick<Levels, 'email'>;
  readonly reading: Reading;
  readonly progress: Progress;
}

/** The meta entry of the copy as it is now. */
export function metaOf(reader: Reader, { healer, levels, reading, progress }: CopyState): Meta {
  const feeds = [...reading.feeds()];
  return {
    uid: reader.user,
    credentials: reader.credentials,
    email: levels.email(),
    position: healer.position(),
    positionHeads: healer.positionHeads(),
    heads: Object.fromEntries(feeds.map((feed) => [feed, progress.settled(feed)])),
    levels: Object.fromEntries(feeds.map((feed) => [feed, reading.level(feed) ?? null])),
  };
}
