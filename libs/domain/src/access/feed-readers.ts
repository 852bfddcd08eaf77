// The readers of feeds by their grants, looked up once for a batch: a node of thousands of grants may have thousands of links. Rules: ACL5, ACL6, EVT1.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { NotLoaded } from '../state/read-set.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';
import { isCurrent } from './access.ts';
import { grantsOn } from './permissions.ts';

/** The readers of the feeds that one batch asks for. */
export interface FeedReaders {
  /** Asks at once for all that `ofBoth` will ask for one by one: several links, each with the feeds of its two sides. */
  require(world: World, links: readonly (readonly (readonly string[])[])[]): void;
  /**
   * Ids of the users who are shown a feed on each of two sides.
   *
   * The user of an e-mail is read without a lock: one that has a user keeps it. One that nobody has yet might get a user meanwhile, who would
   * miss what is told to the readers of both sides: where it is granted both, it is locked.
   */
  ofBoth(world: World, sides: readonly (readonly string[])[]): string[];
}

/** Whom a feed is shown to: ids of users, and e-mails of grants that nobody has yet. */
interface Readers {
  readonly users: Set<string>;
  readonly waiting: Set<string>;
}

/** `now` is ISO 8601 UTC with milliseconds. The worlds that are asked about must not change meanwhile. `work` counts the readers that are looked at. */
export function openReaders(now: string, work: Work): FeedReaders {
  const known = new Map<World, Map<string, Readers>>();
  /** The readers of each feed of each side. */
  const find = (world: World, feeds: readonly string[]): Map<string, Readers> => {
    const found = known.get(world) ?? new Map<string, Readers>();
    known.set(world, found);
    const unknown = [...new Set(feeds)].filter((feed) => !found.has(feed));
    requireGrants(world, unknown);
    for (const feed of unknown) found.set(feed, findReaders(world, feed, now));
    return found;
  };
  const readersOf = (found: ReadonlyMap<string, Readers>, sides: readonly (readonly string[])[]) =>
    sides.map((side) => side.map((feed) => found.get(feed) as Readers));
  return {
    require(world, links) {
      const found = find(world, links.flat(2));
      const waiting = links.flatMap((sides) => onBothSides(readersOf(found, sides), 'waiting', work));
      const notLocked = [...new Set(waiting)].filter((email) => !world.principals.has(email));
      if (notLocked.length > 0) throw new NotLoaded({ principals: notLocked });
    },
    ofBoth: (world, sides) => onBothSides(readersOf(find(world, sides.flat()), sides), 'users', work),
  };
}

/** Asks at once for all grants on shared feeds, and for whose they are. */
function requireGrants(world: World, feeds: readonly string[]): void {
  const roots = [...new Set(feeds.filter((feed) => !feed.startsWith('user:')).map(subjectOfFeed))];
  const unknown = roots.filter((id) => !world.grantsOn.has(id));
  if (unknown.length > 0) throw new NotLoaded({ grantsOn: unknown });
  const emails = new Set(roots.flatMap((id) => grantsOn(world, id)).map(({ email }) => email));
  const readers = [...emails].filter((email) => !world.principals.has(email) && !world.readers.has(email));
  if (readers.length > 0) throw new NotLoaded({ readers });
}

function findReaders(world: World, feed: string, now: string): Readers {
  if (feed.startsWith('user:')) return { users: new Set([subjectOfFeed(feed)]), waiting: new Set() };
  const found = { users: new Set<string>(), waiting: new Set<string>() };
  for (const grant of grantsOn(world, subjectOfFeed(feed))) {
    if (!grant.showing || !isCurrent(grant, now) || grant.branch !== feed.startsWith('root:')) continue;
    const user = world.principals.get(grant.email) ?? world.readers.get(grant.email);
    if (user) found.users.add(user);
    else found.waiting.add(grant.email);
  }
  return found;
}

/** It walks over the side with fewer, since the other may have thousands. */
function onBothSides(sides: readonly (readonly Readers[])[], kind: keyof Readers, work: Work): string[] {
  const sizeOf = (side: readonly Readers[]) => side.reduce((sum, readers) => sum + readers[kind].size, 0);
  const [fewer = [], more = []] = [...sides].sort((one, other) => sizeOf(one) - sizeOf(other));
  work.pass(fewer.length + more.length + sizeOf(fewer));
  const found = fewer.flatMap((readers) => [...readers[kind]]).filter((id) => more.some((side) => side[kind].has(id)));
  return [...new Set(found)];
}
