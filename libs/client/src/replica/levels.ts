// The reader's own level on a node, and what hangs on it: pushes do not say it, since many read them. Rules: ACL1, ACL8, ACL9.
import type { Entity } from '../merge-diff.ts';
import type { HeldNode } from './entities.ts';
import type { Reading } from './reading.ts';

const OWNER = 0;
const ADMIN = 1;

export interface Levels {
  isOwn(entity: Entity): boolean;
  /** Learns from a node that the service has shown whole. */
  learn(held: HeldNode): void;
  /** The feeds by which a whole node is read, by the roots that it names. */
  feedsOf(node: Entity): { via: Set<string>; isDoubtful: boolean };
  /** The node with the level that its feeds give; null where not all of them are known. */
  derive(held: HeldNode): Entity | null;
  /** The node without what only its admins may see, unless it is the reader's own. */
  withoutToken(entity: Entity): Entity;
  /** Whether the node shows less than its reader may see: the token of a publication. */
  lacksToken(entity: Entity): boolean;
  email(): string | null;
  restore(email: string | null): void;
}

export function createLevels(reading: Reading): Levels {
  let email: string | null = null;
  const isOwn = ({ access, ownerEmail }: Entity) => access === OWNER || (email !== null && ownerEmail === email);
  const byRoot = (roots: readonly string[], id: string) =>
    roots.flatMap((root) => (root === id ? [`root:${root}`, `node:${root}`] : [`root:${root}`])).filter(reading.reads);

  return {
    isOwn,
    learn({ entity, via }) {
      if (entity.access === OWNER && typeof entity.ownerEmail === 'string') email = entity.ownerEmail;
      const [only] = via;
      if (via.size === 1 && only !== undefined && typeof entity.access === 'number' && entity.access > OWNER)
        reading.learnLevel(only, entity.access);
    },
    feedsOf(node) {
      const via = new Set(byRoot((node.shareRoots as string[] | undefined) ?? [], node.id));
      const own = reading.own();
      const isDoubtful = via.size === 0 && !isOwn(node);
      if (own !== null && (isDoubtful || isOwn(node))) via.add(own);
      // A reader without an account has one feed, which shows all that they read.
      if (own === null) for (const feed of reading.feeds()) via.add(feed);
      return { via, isDoubtful: isDoubtful && own !== null };
    },
    derive({ entity, via }) {
      if (isOwn(entity)) return { ...entity, access: OWNER };
      // Without knowing the reader's own e-mail, a node of their own feed may be their own.
      const own = reading.own();
      if (email === null && own !== null && via.has(own)) return null;
      const levels = [...via].map((feed) => reading.level(feed));
      if (levels.length === 0 || levels.includes(undefined)) return null;
      return { ...entity, access: Math.min(...(levels as number[])) };
    },
    withoutToken(entity) {
      if (isOwn(entity) || !('publicToken' in entity)) return entity;
      const { publicToken: _hidden, ...rest } = entity;
      return rest as Entity;
    },
    lacksToken: (entity) =>
      !isOwn(entity) && typeof entity.access === 'number' && entity.access <= ADMIN && !('publicToken' in entity),
    email: () => email,
    restore(known) {
      email = known;
    },
  };
}

/** Whether a node may be in a feed of which no word came yet: it names the feed's root. */
export function namesRoot({ shareRoots }: Entity, feed: string): boolean {
  // Not by a function of `wire`: that would bring its schemas into every page.
  return ((shareRoots as string[] | undefined) ?? []).includes(feed.slice(feed.indexOf(':') + 1));
}

/** A node that slices have brought further than a page, with what the page alone says of its reader. */
export function ahead(known: Entity, page: Entity): Entity {
  const { publicToken: token, ...rest } = known;
  const access = typeof page.access === 'number' ? { access: page.access } : {};
  return { ...rest, ...access, ...('publicToken' in page ? { publicToken: token ?? page.publicToken } : {}) } as Entity;
}
