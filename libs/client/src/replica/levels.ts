// The reader's level on each node, and the fields that depend on it. Pushes do not contain it,
// since many readers receive them. Rules: ACL1, ACL8, ACL9.
import type { Entity } from '../merge-diff.ts';
import type { NodeRecord } from './entities.ts';
import type { ReadFeeds } from './feeds/read-feeds.ts';

const OWNER = 0;
const ADMIN = 1;

export interface Levels {
  isOwn(entity: Entity): boolean;
  /** Derives the reader's e-mail and a feed's level from a complete node. */
  learnFrom(record: NodeRecord): void;
  /** The feeds that show a complete node, by its share roots. */
  feedsOf(node: Entity): { via: Set<string>; isDoubtful: boolean };
  /** The node with the level that its feeds give; null if a level is unknown. */
  derive(record: NodeRecord): Entity | null;
  /** The node without the public token, which only admins see, unless the reader owns it. */
  withoutToken(entity: Entity): Entity;
  /** Whether the reader may see the public token, but the node lacks it. */
  isTokenMissing(entity: Entity): boolean;
  email(): string | null;
  restore(email: string | null): void;
}

export function createLevels(readFeeds: ReadFeeds): Levels {
  let email: string | null = null;
  const isOwn = ({ access, ownerEmail }: Entity) => access === OWNER || (email !== null && ownerEmail === email);
  const byRoot = (roots: readonly string[], id: string) =>
    roots
      .flatMap((root) => (root === id ? [`root:${root}`, `node:${root}`] : [`root:${root}`]))
      .filter(readFeeds.reads);

  return {
    isOwn,
    learnFrom({ entity, via }) {
      if (entity.access === OWNER && typeof entity.ownerEmail === 'string') email = entity.ownerEmail;
      const [only] = via;
      if (via.size === 1 && only !== undefined && typeof entity.access === 'number' && entity.access > OWNER)
        readFeeds.setLevel(only, entity.access);
    },
    feedsOf(node) {
      const via = new Set(byRoot((node.shareRoots as string[] | undefined) ?? [], node.id));
      const own = readFeeds.own();
      const isDoubtful = via.size === 0 && !isOwn(node);
      if (own !== null && (isDoubtful || isOwn(node))) via.add(own);
      // A reader without an account has one feed, which shows everything.
      if (own === null) for (const feed of readFeeds.feeds()) via.add(feed);
      return { via, isDoubtful: isDoubtful && own !== null };
    },
    derive({ entity, via }) {
      if (isOwn(entity)) return { ...entity, access: OWNER };
      // While the reader's e-mail is unknown, any node of their own feed may be theirs.
      const own = readFeeds.own();
      if (email === null && own !== null && via.has(own)) return null;
      const levels = [...via].map((feed) => readFeeds.level(feed));
      if (levels.length === 0 || levels.includes(undefined)) return null;
      return { ...entity, access: Math.min(...(levels as number[])) };
    },
    withoutToken(entity) {
      if (isOwn(entity) || !('publicToken' in entity)) return entity;
      const { publicToken: _hidden, ...rest } = entity;
      return rest as Entity;
    },
    isTokenMissing: (entity) =>
      !isOwn(entity) && typeof entity.access === 'number' && entity.access <= ADMIN && !('publicToken' in entity),
    email: () => email,
    restore(known) {
      email = known;
    },
  };
}

/** Whether a node may belong to a feed: it names the feed's root. */
export function namesRoot({ shareRoots }: Entity, feed: string): boolean {
  // A function of `wire` would bring its schemas into every page.
  return ((shareRoots as string[] | undefined) ?? []).includes(feed.slice(feed.indexOf(':') + 1));
}

/** A node that is newer than its page, with the fields that only the page has. */
export function withPageFields(known: Entity, page: Entity): Entity {
  const { publicToken: token, ...rest } = known;
  const access = typeof page.access === 'number' ? { access: page.access } : {};
  return { ...rest, ...access, ...('publicToken' in page ? { publicToken: token ?? page.publicToken } : {}) } as Entity;
}
