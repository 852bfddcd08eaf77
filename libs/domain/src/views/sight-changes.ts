// The e-mails that would gain or lose sight of nodes by a command, as far as its caller may know. Rules: DRY3, ACL9.
import { Level } from '@taskgraph/wire/codes';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { allows, feedOfGrant, isCurrent } from '../access/access.ts';
import { feedOn, grantsOn, type Permissions, permissionsOf, rowsOf } from '../access/permissions.ts';
import { isVisible } from '../state/change.ts';
import { netChanges } from '../state/ends.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { NodeState, Reader } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';

/** Most e-mails that each list names. */
const MOST_NAMED = 100;

/** E-mails, by name; `truncated` where a list would be longer. */
export interface Sight {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly truncated?: true;
}

/**
 * Judged by the grants alone that the caller could list: those on roots of which they are owner or admin. How somebody sees a node by other ways
 * plays no part, or it would show who does. `work` counts the nodes and grants that are looked at.
 */
export function sightOf(transition: Transition, caller: Reader, work: Work): Sight {
  const { before, after } = transition;
  const moves = movesOf(transition, work);
  const feeds = [...new Set(moves.flatMap((move) => [...move.was, ...move.is]))];
  const listed = listedFeeds(transition, feeds, caller);
  requireGrants([before, after], listed);
  const gained = new Set<string>();
  const lost = new Set<string>();
  for (const { was, is } of moves) {
    const readers = (world: World, of: readonly string[]) => readersOf(world, of, listed, transition.now);
    const [saw, sees] = [readers(before, was), readers(after, is)];
    work.pass(was.length + is.length + saw.size + sees.size);
    for (const email of sees) if (!saw.has(email)) gained.add(email);
    for (const email of saw) if (!sees.has(email)) lost.add(email);
  }
  const named = (emails: ReadonlySet<string>) => [...emails].sort().slice(0, MOST_NAMED);
  const isLong = Math.max(gained.size, lost.size) > MOST_NAMED;
  return { gained: named(gained), lost: named(lost), ...(isLong ? { truncated: true as const } : {}) };
}

/** The shared feeds of a node before the command and after it. */
interface Move {
  readonly was: readonly string[];
  readonly is: readonly string[];
}

/** Of the nodes that may come into somebody's sight or go from it, each move once: thousands may move alike. */
function movesOf(transition: Transition, work: Work): Move[] {
  const { before, after, changes, ends } = transition;
  const concerned = new Set(turnedBranches(transition, work));
  for (const change of changes) {
    if (change.kind === 'member') concerned.add(change.id);
    else if (isVisible(change) && change.kind !== 'link') concerned.add(change.id);
  }
  const moves = new Map<string, Move>();
  for (const id of concerned) {
    const node = ends.get(id) as { before: NodeState | null; after: NodeState | null } | undefined;
    const was = node?.before === null ? [] : feedsIn(before, id, node?.before);
    const is = node?.after === null ? [] : feedsIn(after, id, node?.after);
    work.pass(1 + was.length + is.length);
    moves.set(JSON.stringify([was, is]), { was, is });
  }
  return [...moves.values()];
}

/** All nodes of branches of which a grant gave the root alone before, or gives it alone now: its grantee may see the root all the same. */
function* turnedBranches({ before, after, changes }: Transition, work: Work): Iterable<string> {
  for (const change of netChanges(changes)) {
    if (change.kind !== 'grant' || change.before?.branch === change.after?.branch) continue;
    if (change.before === null || change.after === null) continue;
    for (const world of [before, after]) yield* nodesBelow(world, change.id, work);
  }
}

function nodesBelow(world: World, root: string, work: Work): Iterable<string> {
  const reached = new Set([root]);
  for (const id of reached) {
    const links = world.conveyedInto.get(id);
    if (links === undefined) throw new NotLoaded({ below: [id] });
    work.pass(1 + links.size);
    for (const source of links.values()) reached.add(source);
  }
  return reached;
}

/** A node in the trash is in nobody's sight. */
function feedsIn(world: World, id: string, node: NodeState | undefined): string[] {
  if ((node ?? world.nodes.get(id))?.inTrash === true) return [];
  return [...rowsOf(world, id).keys()].filter((feed) => !feed.startsWith('user:')).sort();
}

/** The feeds of roots whose grants the caller could list: before the command, or, of what it made, after it. */
function listedFeeds(transition: Transition, feeds: readonly string[], caller: Reader): Set<string> {
  const { before, after, ends, now } = transition;
  const [rights, rightsAfter] = [before, after].map((world) => permissionsOf(world, caller, now)) as [
    Permissions,
    Permissions,
  ];
  const isListed = (feed: string) => {
    const id = subjectOfFeed(feed);
    const isNew = ends.get(id)?.before === null;
    const [world, { level }] = isNew ? [after, rightsAfter] : [before, rights];
    const ownerId = (feedOn(after, feed) ?? feedOn(before, feed))?.ownerId;
    return ownerId !== undefined && world.nodes.get(id) !== null && allows(level({ id, ownerId }), Level.ADMIN);
  };
  return new Set(feeds.filter(isListed));
}

function requireGrants(worlds: readonly World[], feeds: ReadonlySet<string>): void {
  const roots = [...new Set([...feeds].map(subjectOfFeed))];
  const unknown = worlds.flatMap((world) => roots.filter((id) => !world.grantsOn.has(id)));
  if (unknown.length > 0) throw new NotLoaded({ grantsOn: [...new Set(unknown)] });
}

/** The e-mails that read one of the feeds by a grant that the caller could list. */
function readersOf(world: World, feeds: readonly string[], listed: ReadonlySet<string>, now: string): Set<string> {
  const readers = new Set<string>();
  for (const feed of feeds) {
    if (!listed.has(feed)) continue;
    for (const grant of grantsOn(world, subjectOfFeed(feed))) {
      if (feedOfGrant(grant) === feed && isCurrent(grant, now)) readers.add(grant.email);
    }
  }
  return readers;
}
