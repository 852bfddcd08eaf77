// Writes the changes of a replica to its storage, each batch with its position, and restores a
// stored graph for the reader who stored it. Rules: EVT2, ACL7.
import type { Entity } from '../merge-diff.ts';
import { isSameReader, type Reader } from '../reader.ts';
import { retryWaitMs } from '../retry-policy.ts';
import { nextTurn } from '../storage/next-turn.ts';
import { META_KEY as META, ENTITY_PREFIX as PREFIX, type ReplicaStorage } from '../storage/storage.ts';
import type { Entities, Kind, NodeRecord } from './entities.ts';
import type { FeedProgress } from './feeds/feed-progress.ts';
import type { ReadFeeds } from './feeds/read-feeds.ts';
import type { Levels } from './levels.ts';
import type { Resync } from './resync.ts';

/** The version of the stored form. It grows with each new field of nodes or links. */
const FORM = 1;

/** The reader of a stored graph, and its position. */
export interface Meta {
  /** The form of the stored entities; earlier releases did not store it. */
  readonly form?: number;
  readonly uid: string | null;
  /** The hash of the credentials that read it; an earlier release did not store it. */
  readonly credentials?: string | null;
  /** Null if a full read is needed. */
  readonly position: string | null;
  /** The numbers that the position stands for. */
  readonly positionHeads: Readonly<Record<string, number>>;
  /** The number of each read feed up to which nothing is missing; -1 if the feed is missing. */
  readonly heads: Readonly<Record<string, number>>;
  readonly levels: Readonly<Record<string, number | null>>;
  readonly email: string | null;
  /** An earlier release did not store it. */
  readonly username?: string | null;
}

interface StoredNode extends Omit<NodeRecord, 'via'> {
  readonly via: readonly string[];
}

export interface GraphRecord {
  readonly meta: Meta;
  readonly nodes: readonly NodeRecord[];
  readonly links: readonly Entity[];
}

export interface Persistence {
  /**
   * Schedules the write of an entity. A removal is written at once, also one from a feed (`hasLeft`),
   * so that no restart shows the entity.
   */
  touch(kind: Kind, id: string, hasLeft?: boolean): void;
  /** Schedules the write of the position. */
  touchMeta(): void;
  /** Schedules the write of the whole graph. */
  rewrite(): void;
  /** Deletes a stored graph that this reader must not see. */
  discard(entries: ReadonlyMap<string, unknown>): void;
  /** Writes everything that is scheduled. */
  flush(): Promise<void>;
}

interface PersistenceDependencies {
  readonly storage: ReplicaStorage;
  readonly entities: Pick<Entities, 'nodes' | 'links'>;
  readonly meta: () => Meta;
  readonly failed: (error: unknown) => void;
}

const WRITE_AFTER_MS = 500;

export function createPersistence({ storage, entities, meta, failed }: PersistenceDependencies): Persistence {
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
    // All values are of one moment. An entity may be newer than the position, never older.
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
  const touchEntity = (kind: Kind, id: string, hasLeft = false) => {
    const value = kind === 'nodes' ? () => storedNode(entities.nodes.get(id)) : () => entities.links.get(id);
    touch(PREFIX[kind] + id, value, entities[kind].has(id) && !hasLeft ? WRITE_AFTER_MS : 0);
  };
  return {
    touch: touchEntity,
    touchMeta: () => touch(META, meta, WRITE_AFTER_MS),
    rewrite() {
      for (const kind of ['nodes', 'links'] as const) for (const id of entities[kind].keys()) touchEntity(kind, id);
      touch(META, meta, 0);
    },
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

function storedNode(record: NodeRecord | undefined): StoredNode | undefined {
  return record && { ...record, via: [...record.via] };
}

/** The graph in the entries of a storage; null if there is none. */
export function storedGraph(entries: ReadonlyMap<string, unknown>): GraphRecord | null {
  const meta = entries.get(META) as Meta | undefined;
  if (meta === undefined) return null;
  const nodes: NodeRecord[] = [];
  const links: Entity[] = [];
  for (const [key, value] of entries) {
    if (key.startsWith(PREFIX.nodes)) nodes.push({ ...(value as StoredNode), via: new Set((value as StoredNode).via) });
    else if (key.startsWith(PREFIX.links)) links.push(value as Entity);
  }
  // Entities of an earlier form lack fields, so all of them are read again.
  const position = meta.form === FORM ? meta.position : null;
  return { meta: { ...meta, position }, nodes, links };
}

/**
 * The graph of an earlier run. It is restored and overwritten only after proof that it belongs to
 * the same reader.
 */
export interface StoredGraph {
  /**
   * Restores the graph of the reader that the credentials name, before the first connection. It yields
   * between steps; call nothing else of the replica until it resolves.
   */
  restoreInTurns(): Promise<void>;
  /** Restores the graph if it belongs to the reader. No proof can follow, so it is deleted otherwise. */
  restoreOrDelete(): void;
  /** Deletes the graph unless it was restored. */
  discard(): void;
  /** The meta entry of the graph until it is restored or deleted. */
  meta(): Meta | null;
}

interface StoredGraphDependencies {
  readonly reader: () => Reader;
  /** Restores the graph in short steps. */
  readonly restore: (graph: GraphRecord) => Iterable<void>;
  readonly discard: (entries: ReadonlyMap<string, unknown>) => void;
}

export function createStoredGraph(
  entries: ReadonlyMap<string, unknown>,
  dependencies: StoredGraphDependencies,
): StoredGraph {
  let waiting = storedGraph(entries);
  const discard = () => {
    if (waiting !== null) dependencies.discard(entries);
    waiting = null;
  };
  /** None if the graph belongs to another reader. */
  function restoreSteps(): Iterable<void> {
    if (waiting === null) return [];
    const graph = waiting;
    const { credentials = null, uid } = graph.meta;
    if (!isSameReader({ credentials, user: uid }, dependencies.reader())) return [];
    waiting = null;
    return dependencies.restore(graph);
  }
  // Without a meta entry the reader of the nodes and links is unknown.
  if (waiting === null) dependencies.discard(entries);
  return {
    async restoreInTurns() {
      for (const _step of restoreSteps()) await nextTurn();
    },
    restoreOrDelete() {
      // Runs all steps at once.
      Array.from(restoreSteps());
      discard();
    },
    discard,
    meta: () => waiting?.meta ?? null,
  };
}

interface CopyState {
  readonly resync: Pick<Resync, 'position' | 'positionHeads'>;
  readonly levels: Pick<Levels, 'email'>;
  readonly readFeeds: ReadFeeds;
  readonly progress: FeedProgress;
}

/** The meta entry of the current copy. */
export function metaOf(
  reader: Reader & { readonly username: string | null },
  { resync, levels, readFeeds, progress }: CopyState,
): Meta {
  const feeds = [...readFeeds.feeds()];
  return {
    form: FORM,
    uid: reader.user,
    credentials: reader.credentials,
    username: reader.username,
    email: levels.email(),
    position: resync.position(),
    positionHeads: resync.positionHeads(),
    heads: Object.fromEntries(feeds.map((feed) => [feed, progress.completeUpTo(feed)])),
    levels: Object.fromEntries(feeds.map((feed) => [feed, readFeeds.level(feed) ?? null])),
  };
}
