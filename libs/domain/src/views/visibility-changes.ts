// The e-mails that a command would let see nodes, or no longer see, as far as the caller may know.
// Rules: DRY3, ACL9.
import { Level } from '@taskgraph/wire/codes';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { feedOn, grantsOn, type Permissions, permissionsOf, rowsOf } from '../access/permissions.ts';
import { allows, feedOfGrant, isCurrent } from '../access/reader-access.ts';
import { isVisible } from '../state/change.ts';
import { netChanges } from '../state/net-change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { NodeState, Reader } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';

/** Most e-mails of each list. */
const MOST_NAMED = 100;

/** E-mails, sorted; `truncated` if a list is incomplete. */
export interface VisibilityChange {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly truncated?: true;
}

/**
 * Considers only grants that the caller may list: those on share roots where the caller is owner or
 * admin. Other access of the same e-mails is ignored, because it would be revealed otherwise.
 * `work` counts nodes and grants.
 */
export function visibilityChangeOf(transition: Transition, caller: Reader, work: Work): VisibilityChange {
  const { before, after } = transition;
  const feedsChanges = feedsChangesOf(transition, work);
  const feeds = [...new Set(feedsChanges.flatMap((feedsChange) => [...feedsChange.was, ...feedsChange.is]))];
  const listed = listedFeeds(transition, feeds, caller);
  requireGrants([before, after], listed);
  const gained = new Set<string>();
  const lost = new Set<string>();
  for (const { was, is } of feedsChanges) {
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

/** The shared feeds of a node before and after the command. */
interface FeedsChange {
  readonly was: readonly string[];
  readonly is: readonly string[];
}

/**
 * The distinct feed changes of nodes whose visibility may change, because thousands of nodes may
 * change alike.
 */
function feedsChangesOf(transition: Transition, work: Work): FeedsChange[] {
  const { before, after, changes, net } = transition;
  const nodeIds = new Set(switchedBranches(transition, work));
  for (const change of changes) {
    if (change.kind === 'member') nodeIds.add(change.id);
    else if (isVisible(change) && change.kind !== 'link') nodeIds.add(change.id);
  }
  const feedsChanges = new Map<string, FeedsChange>();
  for (const id of nodeIds) {
    const node = net.get(id) as { before: NodeState | null; after: NodeState | null } | undefined;
    const was = node?.before === null ? [] : feedsIn(before, id, node?.before);
    const is = node?.after === null ? [] : feedsIn(after, id, node?.after);
    work.pass(1 + was.length + is.length);
    feedsChanges.set(JSON.stringify([was, is]), { was, is });
  }
  return [...feedsChanges.values()];
}

/**
 * The nodes of branches whose grant changes between branch and single node. The grantee may see the
 * root either way.
 */
function* switchedBranches({ before, after, changes }: Transition, work: Work): Iterable<string> {
  for (const change of netChanges(changes)) {
    if (change.kind !== 'grant' || change.before?.branch === change.after?.branch) continue;
    if (change.before === null || change.after === null) continue;
    for (const world of [before, after]) yield* nodesBelow(world, change.id, work);
  }
}

function nodesBelow(world: World, root: string, work: Work): Iterable<string> {
  const reached = new Set([root]);
  for (const id of reached) {
    const links = world.propagatingInto.get(id);
    if (links === undefined) throw new NotLoaded({ below: [id] });
    work.pass(1 + links.size);
    for (const source of links.values()) reached.add(source);
  }
  return reached;
}

/** A trashed node has no readers. */
function feedsIn(world: World, id: string, node: NodeState | undefined): string[] {
  if ((node ?? world.nodes.get(id))?.inTrash === true) return [];
  return [...rowsOf(world, id).keys()].filter((feed) => !feed.startsWith('user:')).sort();
}

/** The feeds whose grants the caller may list: before the command, or after it for new nodes. */
function listedFeeds(transition: Transition, feeds: readonly string[], caller: Reader): Set<string> {
  const { before, after, net, now } = transition;
  const [rights, rightsAfter] = [before, after].map((world) => permissionsOf(world, caller, now)) as [
    Permissions,
    Permissions,
  ];
  const isListed = (feed: string) => {
    const id = subjectOfFeed(feed);
    const isNew = net.get(id)?.before === null;
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

/** The e-mails with a listed grant on one of the feeds. */
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
