// The part of the graph that a worker caches, so that a group on it needs no load
// (docs/design/group-commit.md).
//
// 1. Entries come from loads under the owners' locks, and from the worker's own commits.
// 2. An entry is valid for one revision of its owner. Another worker may raise that revision at any
//    time.
// 3. The cache never checks revisions itself: the statement that writes or locks a group compares
//    them.
import type { FeedState, LinkState, LockedUser } from '@taskgraph/domain/state/state';
import { type World, type WorldLookups, worldFromLookups } from '@taskgraph/domain/state/world';
import { LRUCache } from 'lru-cache';
import {
  ENTITY_BYTES,
  ITEM_BYTES,
  isShort,
  LIST_BYTES,
  LISTS,
  LONGEST_LIST,
  type NodeEntry,
  type Owner,
  put,
  sizeOf,
} from './cache-entries.ts';

const CACHED_OWNERS = 20_000;
/** Shares of the bytes, by kind of entry. */
const SHARES = { nodes: 0.65, links: 0.2, pairs: 0.1, feeds: 0.05 };

/** The owners of a decision, with the versions of their entries at that time. */
type DecidedOn = Map<string, { readonly owner: Owner | undefined; readonly version: number }>;

interface LinkEntry {
  readonly ends: readonly Owner[];
  readonly link: LinkState;
}
interface PairEntry {
  readonly ends: readonly Owner[];
  readonly links: ReadonlySet<string>;
}
interface FeedEntry {
  readonly ends: readonly Owner[];
  readonly feed: FeedState;
}

/** A group's world over the cache. */
export interface CachedWorld {
  /** The group's own loads do not enter the cache until `store`. */
  readonly world: World;
  /** Owners of the cache entries that were read. The group has to lock them. */
  readonly used: ReadonlySet<string>;
  /** These users from the cache, or null if one is not cached. */
  users(ids: Iterable<string>): Map<string, LockedUser> | null;
  /**
   * Begins a decision on the entries of these users. Drops entries of any other revision, which
   * another group may have stored since the last round.
   */
  beginDecision(locked: ReadonlyMap<string, LockedUser>): void;
  /** Stores what a committed group loaded and decided. */
  store(committed: CommittedGroup): void;
}

/** A committed group. */
export interface CommittedGroup {
  /** The users as the group locked them. */
  readonly users: ReadonlyMap<string, LockedUser>;
  /** The loaded world, and a layer over it with the group's changes. */
  readonly before: World;
  readonly after: World;
  /** Users whose revisions it raised by one. */
  readonly bumped: ReadonlySet<string>;
  readonly heads: ReadonlyMap<string, number>;
  /** The time of the newest batch, by owner. */
  readonly newest: ReadonlyMap<string, string>;
}

export interface GraphCache {
  openWorld(): CachedWorld;
  /** Rough size, bytes. */
  bytes(): number;
}

/**
 * A cache of at most this number of bytes, which evicts the least recently used entries. 0 disables
 * it.
 */
export function createGraphCache(maximumBytes: number): GraphCache {
  const cache = <T extends object>(share: number) =>
    new LRUCache<string, T>({ maxSize: Math.max(1, Math.floor(maximumBytes * share)) });
  const nodes = cache<NodeEntry>(SHARES.nodes);
  const links = cache<LinkEntry>(SHARES.links);
  const pairs = cache<PairEntry>(SHARES.pairs);
  const feeds = cache<FeedEntry>(SHARES.feeds);
  const owners = new LRUCache<string, Owner>({ max: CACHED_OWNERS, dispose: invalidate });

  const nodeAt = (id: string): NodeEntry | undefined => {
    const entry = nodes.get(id);
    return entry?.owner.valid ? entry : undefined;
  };
  const ifValid = <T extends { readonly ends: readonly Owner[] }>(entry: T | undefined): T | undefined =>
    entry?.ends.every(({ valid }) => valid) ? entry : undefined;

  const lookUpsInto = (used: Set<string>): WorldLookups => {
    const ofNode =
      <T>(pick: (entry: NodeEntry) => T | undefined) =>
      (id: string): T | undefined => {
        const entry = nodeAt(id);
        const found = entry && pick(entry);
        if (entry !== undefined && found !== undefined) used.add(entry.owner.user.id);
        return found;
      };
    const note = <T extends { readonly ends: readonly Owner[] }>(entry: T | undefined): T | undefined => {
      for (const { user } of entry?.ends ?? []) used.add(user.id);
      return entry;
    };
    const lists = Object.fromEntries(LISTS.map((name) => [name, ofNode((entry) => entry[name])]));
    return {
      ...(lists as WorldLookups),
      nodes: ofNode(({ node }) => node),
      degrees: ofNode(({ degree }) => degree),
      links: (id) => note(ifValid(links.get(id)))?.link,
      between: (pair) => note(ifValid(pairs.get(pair)))?.links,
      feeds: (id) => note(ifValid(feeds.get(id)))?.feed,
    };
  };

  const openWorld = (): CachedWorld => {
    const used = new Set<string>();
    let decidedOn: DecidedOn = new Map();
    return {
      world: worldFromLookups(lookUpsInto(used)),
      used,
      users(ids) {
        const users = new Map<string, LockedUser>();
        for (const id of ids) {
          const owner = owners.get(id);
          if (owner === undefined) return null;
          users.set(id, owner.user);
        }
        return users;
      },
      beginDecision(locked) {
        decidedOn = new Map();
        for (const { id, rev, lastTs } of locked.values()) {
          const { user } = owners.get(id) ?? {};
          if (user !== undefined && (user.rev !== rev || user.lastTs !== lastTs)) owners.delete(id);
          const owner = owners.get(id);
          decidedOn.set(id, { owner, version: owner?.version ?? 0 });
        }
      },
      store(committed) {
        if (maximumBytes === 0) return;
        const current = ownersAfter(decidedOn, committed);
        storeNodes(current, committed);
        storeOthers(current, committed);
      },
    };
  };

  /**
   * The owners after a group, by id, without those whose entries another group has changed since
   * the decision.
   */
  const ownersAfter = (decidedOn: DecidedOn, committed: CommittedGroup): Map<string, Owner> => {
    const after = new Map<string, Owner>();
    for (const [id, user] of committed.users) {
      const [then, now] = [decidedOn.get(id), owners.get(id)];
      if (then === undefined || then.owner !== now || (now !== undefined && now.version !== then.version)) {
        owners.delete(id);
        continue;
      }
      const owner = now ?? { user, valid: true, version: 0 };
      owner.user = userAfter(user, committed);
      owner.version++;
      if (now === undefined) owners.set(id, owner);
      after.set(id, owner);
    }
    return after;
  };

  const storeNodes = (current: ReadonlyMap<string, Owner>, { before, after }: CommittedGroup): void => {
    const changed = new Map<string, NodeEntry>();
    const gone = new Set<string>();
    const entryOf = (id: string): NodeEntry | undefined => {
      const open = changed.get(id);
      if (open !== undefined) return open;
      const ownerId = (after.nodes.get(id) ?? before.nodes.get(id))?.ownerId ?? after.owners.get(id);
      const owner = ownerId === undefined ? undefined : current.get(ownerId);
      if (owner === undefined) return undefined;
      const earlier = nodes.peek(id);
      // A new object: the cache measures an entry only when it is set.
      const entry: NodeEntry = earlier?.owner === owner ? { ...earlier } : { owner };
      changed.set(id, entry);
      return entry;
    };
    for (const world of [before, after]) {
      for (const [id, node] of world.nodes) {
        if (node === null) gone.add(id);
        else put(entryOf(id), 'node', node);
      }
      for (const [id, degree] of world.degrees) put(entryOf(id), 'degree', degree);
      for (const name of LISTS) {
        for (const [id, list] of world[name]) put(entryOf(id), name, isShort(list) ? list : undefined);
      }
    }
    for (const [id, entry] of changed) nodes.set(id, entry, { size: sizeOf(entry) });
    for (const id of gone) nodes.delete(id);
  };

  const storeOthers = (current: ReadonlyMap<string, Owner>, { before, after, heads }: CommittedGroup): void => {
    const ownerOf = (id: string) => current.get(after.nodes.get(id)?.ownerId ?? after.owners.get(id) ?? '');
    const endsOf = (one: string, other: string): readonly Owner[] | null => {
      const ends = [ownerOf(one), ownerOf(other)];
      return ends.every((end) => end !== undefined) ? (ends as Owner[]) : null;
    };
    const change = <T extends object>(cache: LRUCache<string, T>, key: string, entry: T | null, size: number) => {
      if (entry === null) cache.delete(key);
      else cache.set(key, entry, { size });
    };
    for (const world of [before, after]) {
      for (const [id, link] of world.links) {
        // A trashed link loses its mark without a new revision.
        const ends = link === null || link.inTrash ? null : endsOf(link.source, link.target);
        change(links, id, ends && { ends, link: link as LinkState }, ENTITY_BYTES);
      }
      for (const [pair, list] of world.between) {
        const ends = list.size > LONGEST_LIST ? null : endsOf(...(pair.split('|') as [string, string]));
        change(pairs, pair, ends && { ends, links: list }, 2 * LIST_BYTES + list.size * ITEM_BYTES);
      }
      for (const [id, feed] of world.feeds) {
        const owner = feed === null ? undefined : current.get(feed.ownerId);
        change(feeds, id, owner ? { ends: [owner], feed: feed as FeedState } : null, ENTITY_BYTES);
      }
    }
    // The heads of the feeds are not part of the world.
    for (const [id, seq] of heads) {
      const entry = ifValid(feeds.peek(id));
      if (entry !== undefined) feeds.set(id, { ...entry, feed: { ...entry.feed, seq } }, { size: ENTITY_BYTES });
    }
  };

  return {
    openWorld,
    bytes: () => [nodes, links, pairs, feeds].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0),
  };
}

function invalidate(owner: Owner): void {
  owner.valid = false;
}

function userAfter(user: LockedUser, { bumped, heads, newest }: CommittedGroup): LockedUser {
  if (!bumped.has(user.id)) return user;
  const seq = heads.get(`user:${user.id}`) ?? user.seq;
  return { ...user, rev: user.rev + 1, lastTs: newest.get(user.id) ?? user.lastTs, seq };
}
