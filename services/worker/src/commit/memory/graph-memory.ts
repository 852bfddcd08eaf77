// The part of the graph that a worker remembers, so that a group on it needs no load: what it read under the owners' locks, or committed itself
// (docs/design/group-commit.md, "An actor that remembers").
//
// All that is remembered hangs on the owner's revision: it counts until somebody, who may be another worker, raises it. A memory never tells by
// itself whether that happened: the statement that writes a group compares, and so does one that locks.
import type { FeedState, LinkState, LockedUser } from '@taskgraph/domain/state/state';
import { type Recall, type World, worldOver } from '@taskgraph/domain/state/world';
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
} from './entries.ts';

const REMEMBERED_OWNERS = 20_000;
/** Of the bytes, the parts of nodes and links; pairs and feeds share the rest. */
const SHARES = { nodes: 0.65, links: 0.2, pairs: 0.1, feeds: 0.05 };

/** Owners as they were when a group was decided. */
type DecidedOn = Map<string, { readonly owner: Owner | undefined; readonly puts: number }>;

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

/** A group's world over what is remembered. */
export interface Recollection {
  /** The group's own loads stay apart in it. */
  readonly world: World;
  /** Owners of all that was looked up and is remembered: the group has to lock them. */
  readonly used: ReadonlySet<string>;
  /** These users as they are remembered, or null where one is not. */
  users(ids: Iterable<string>): Map<string, LockedUser> | null;
  /**
   * Tells that a decision is made now on what is remembered of these. All that hangs on another revision than theirs is forgotten: another group may
   * have put it in since the last round. This decision has not seen what others put in from here on.
   */
  decided(locked: ReadonlyMap<string, LockedUser>): void;
  /** Remembers what the group loaded, and left by its last decision, once it is committed. */
  keep(committed: Committed): void;
}

/** A group that is committed. */
export interface Committed {
  /** As it locked them. */
  readonly users: ReadonlyMap<string, LockedUser>;
  /** Its loads, and over them what it decided. */
  readonly before: World;
  readonly after: World;
  /** Users whose revisions it raised by one. */
  readonly bumped: ReadonlySet<string>;
  readonly heads: ReadonlyMap<string, number>;
  /** The time of the newest batch, by owner. */
  readonly newest: ReadonlyMap<string, string>;
}

export interface GraphMemory {
  recollect(): Recollection;
  /** Rough size, bytes. */
  bytes(): number;
}

/** A memory of at most so many bytes, least recently used out first; with 0 it remembers nothing. */
export function createGraphMemory(maximumBytes: number): GraphMemory {
  const cache = <T extends object>(share: number) =>
    new LRUCache<string, T>({ maxSize: Math.max(1, Math.floor(maximumBytes * share)) });
  const nodes = cache<NodeEntry>(SHARES.nodes);
  const links = cache<LinkEntry>(SHARES.links);
  const pairs = cache<PairEntry>(SHARES.pairs);
  const feeds = cache<FeedEntry>(SHARES.feeds);
  const owners = new LRUCache<string, Owner>({ max: REMEMBERED_OWNERS, dispose: forget });

  const nodeAt = (id: string): NodeEntry | undefined => {
    const entry = nodes.get(id);
    return entry?.owner.known ? entry : undefined;
  };
  const standing = <T extends { readonly ends: readonly Owner[] }>(entry: T | undefined): T | undefined =>
    entry?.ends.every(({ known }) => known) ? entry : undefined;

  const recallTo = (used: Set<string>): Recall => {
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
      ...(lists as Recall),
      nodes: ofNode(({ node }) => node),
      degrees: ofNode(({ degree }) => degree),
      links: (id) => note(standing(links.get(id)))?.link,
      between: (pair) => note(standing(pairs.get(pair)))?.links,
      feeds: (id) => note(standing(feeds.get(id)))?.feed,
    };
  };

  const recollect = (): Recollection => {
    const used = new Set<string>();
    let decidedOn: DecidedOn = new Map();
    return {
      world: worldOver(recallTo(used)),
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
      decided(locked) {
        decidedOn = new Map();
        for (const { id, rev, lastTs } of locked.values()) {
          const { user } = owners.get(id) ?? {};
          if (user !== undefined && (user.rev !== rev || user.lastTs !== lastTs)) owners.delete(id);
          const owner = owners.get(id);
          decidedOn.set(id, { owner, puts: owner?.puts ?? 0 });
        }
      },
      keep(committed) {
        if (maximumBytes === 0) return;
        const known = ownersAfter(decidedOn, committed);
        keepNodes(known, committed);
        keepOthers(known, committed);
      },
    };
  };

  /** The owners as they are after a group, by id; without those whom others have put something in for since it was decided. */
  const ownersAfter = (decidedOn: DecidedOn, committed: Committed): Map<string, Owner> => {
    const after = new Map<string, Owner>();
    for (const [id, user] of committed.users) {
      const [then, now] = [decidedOn.get(id), owners.get(id)];
      if (then === undefined || then.owner !== now || (now !== undefined && now.puts !== then.puts)) {
        owners.delete(id);
        continue;
      }
      const owner = now ?? { user, known: true, puts: 0 };
      owner.user = userAfter(user, committed);
      owner.puts++;
      if (now === undefined) owners.set(id, owner);
      after.set(id, owner);
    }
    return after;
  };

  const keepNodes = (known: ReadonlyMap<string, Owner>, { before, after }: Committed): void => {
    const changed = new Map<string, NodeEntry>();
    const gone = new Set<string>();
    const entryOf = (id: string): NodeEntry | undefined => {
      const open = changed.get(id);
      if (open !== undefined) return open;
      const ownerId = (after.nodes.get(id) ?? before.nodes.get(id))?.ownerId ?? after.owners.get(id);
      const owner = ownerId === undefined ? undefined : known.get(ownerId);
      if (owner === undefined) return undefined;
      const earlier = nodes.peek(id);
      // Another object, or the cache would take no note of its size.
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

  const keepOthers = (known: ReadonlyMap<string, Owner>, { before, after, heads }: Committed): void => {
    const ownerOf = (id: string) => known.get(after.nodes.get(id)?.ownerId ?? after.owners.get(id) ?? '');
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
        // The mark of a trashed one comes off without a new revision.
        const ends = link === null || link.inTrash ? null : endsOf(link.source, link.target);
        change(links, id, ends && { ends, link: link as LinkState }, ENTITY_BYTES);
      }
      for (const [pair, list] of world.between) {
        const ends = list.size > LONGEST_LIST ? null : endsOf(...(pair.split('|') as [string, string]));
        change(pairs, pair, ends && { ends, links: list }, 2 * LIST_BYTES + list.size * ITEM_BYTES);
      }
      for (const [id, feed] of world.feeds) {
        const owner = feed === null ? undefined : known.get(feed.ownerId);
        change(feeds, id, owner ? { ends: [owner], feed: feed as FeedState } : null, ENTITY_BYTES);
      }
    }
    // Numbers are given out on the heads, not in the world.
    for (const [id, seq] of heads) {
      const entry = standing(feeds.peek(id));
      if (entry !== undefined) feeds.set(id, { ...entry, feed: { ...entry.feed, seq } }, { size: ENTITY_BYTES });
    }
  };

  return {
    recollect,
    bytes: () => [nodes, links, pairs, feeds].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0),
  };
}

function forget(owner: Owner): void {
  owner.known = false;
}

function userAfter(user: LockedUser, { bumped, heads, newest }: Committed): LockedUser {
  if (!bumped.has(user.id)) return user;
  const seq = heads.get(`user:${user.id}`) ?? user.seq;
  return { ...user, rev: user.rev + 1, lastTs: newest.get(user.id) ?? user.lastTs, seq };
}
