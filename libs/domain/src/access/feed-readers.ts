// The readers of feeds by their grants, looked up once per batch, because a node with thousands of
// grants may have thousands of links. Rules: ACL5, ACL6, EVT1.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { NotLoaded } from '../state/read-set.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';
import { grantsOn } from './permissions.ts';
import { isCurrent } from './reader-access.ts';

/** The readers of the feeds of one batch. */
export interface FeedReaders {
  /**
   * Requests in one load what `ofBoth` needs for these links; each link has the feeds of its two
   * sides.
   */
  require(world: World, links: readonly (readonly (readonly string[])[])[]): void;
  /**
   * Ids of the users who are shown a feed on each of two sides.
   *
   * Users of e-mails are read without a lock, because an e-mail keeps its user. An e-mail without a
   * user might get one concurrently, and that user would miss changes. So an e-mail with grants on
   * both sides is locked.
   */
  ofBoth(world: World, sides: readonly (readonly string[])[]): string[];
}

/** The readers of a feed: ids of users, and granted e-mails without a user. */
interface Readers {
  readonly users: Set<string>;
  readonly withoutUser: Set<string>;
}

/**
 * `now` is ISO 8601 UTC with milliseconds. The worlds must not change while this is in use. `work`
 * counts the readers that are visited.
 */
export function createFeedReaders(now: string, work: Work): FeedReaders {
  const readersByWorld = new Map<World, Map<string, Readers>>();
  /** The readers of each feed. */
  const readersIn = (world: World, feeds: readonly string[]): Map<string, Readers> => {
    const found = readersByWorld.get(world) ?? new Map<string, Readers>();
    readersByWorld.set(world, found);
    const unknown = [...new Set(feeds)].filter((feed) => !found.has(feed));
    requireGrants(world, unknown);
    for (const feed of unknown) found.set(feed, findReaders(world, feed, now));
    return found;
  };
  const readersOf = (found: ReadonlyMap<string, Readers>, sides: readonly (readonly string[])[]) =>
    sides.map((side) => side.map((feed) => found.get(feed) as Readers));
  return {
    require(world, links) {
      const found = readersIn(world, links.flat(2));
      const withoutUser = links.flatMap((sides) => onBothSides(readersOf(found, sides), 'withoutUser', work));
      const notLocked = [...new Set(withoutUser)].filter((email) => !world.principals.has(email));
      if (notLocked.length > 0) throw new NotLoaded({ principals: notLocked });
    },
    ofBoth: (world, sides) => onBothSides(readersOf(readersIn(world, sides.flat()), sides), 'users', work),
  };
}

/** Requests in one load all grants on shared feeds, and then the users of their e-mails. */
function requireGrants(world: World, feeds: readonly string[]): void {
  const roots = [...new Set(feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed))];
  const unknown = roots.filter((id) => !world.grantsOn.has(id));
  if (unknown.length > 0) throw new NotLoaded({ grantsOn: unknown });
  const emails = new Set(roots.flatMap((id) => grantsOn(world, id)).map(({ email }) => email));
  const readers = [...emails].filter((email) => !world.principals.has(email) && !world.readers.has(email));
  if (readers.length > 0) throw new NotLoaded({ readers });
}

function findReaders(world: World, feed: string, now: string): Readers {
  if (feed.startsWith('user:')) return { users: new Set([subjectOfFeed(feed)]), withoutUser: new Set() };
  const found = { users: new Set<string>(), withoutUser: new Set<string>() };
  for (const grant of grantsOn(world, subjectOfFeed(feed))) {
    if (!grant.showing || !isCurrent(grant, now) || grant.branch !== feed.startsWith('root:')) continue;
    const user = world.principals.get(grant.email) ?? world.readers.get(grant.email);
    if (user) found.users.add(user);
    else found.withoutUser.add(grant.email);
  }
  return found;
}

/** Iterates over the smaller side, because the other may have thousands of readers. */
function onBothSides(sides: readonly (readonly Readers[])[], kind: keyof Readers, work: Work): string[] {
  const sizeOf = (side: readonly Readers[]) => side.reduce((sum, readers) => sum + readers[kind].size, 0);
  const [fewer = [], more = []] = [...sides].sort((one, other) => sizeOf(one) - sizeOf(other));
  work.pass(fewer.length + more.length + sizeOf(fewer));
  const found = fewer.flatMap((readers) => [...readers[kind]]).filter((id) => more.some((side) => side[kind].has(id)));
  return [...new Set(found)];
}
