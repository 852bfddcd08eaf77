// Requests in one load the data for the visibility checks of a batch. Without this, a batch of
// 10,000 changes would cost a round of loading for each change.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { isShareRoot, unknownGrants } from '../access/permissions.ts';
import type { StoredChange } from '../state/batch.ts';
import { isVisible, type LinkChange, type VisibleChange } from '../state/change.ts';
import { NotLoaded, NotLocked } from '../state/read-set.ts';
import { isWhole, type Reader } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';

/** For the slices of a transition and for the reply to its caller. */
export function requireVisibility(transition: Transition, caller: Reader): void {
  const changes = transition.changes.filter(isVisible);
  const nodes = new Set(changes.flatMap(nodesOf));
  requireRows(transition.after, nodes);
  const feeds = sharesOf(transition, nodes);
  const unknown = feeds.filter((feed) => !transition.after.feeds.has(feed));
  if (unknown.length > 0) throw new NotLoaded({ feeds: unknown });
  const shared = feeds.filter((feed) => isShareRoot(transition.after, feed));
  const roots = shared.map(subjectOfFeed);
  requireRows(transition.after, roots);
  requireOwners(transition, changes);
  const wishes = [...nodes, ...roots].map((id) => [id, caller] as const);
  // The reply names the feeds that the caller reads.
  requireGrants(
    transition,
    [...wishes, ...privateEnds(transition, changes)],
    unknownGrants(transition.after, shared, caller),
  );
}

/**
 * For a stored batch: its entities, further links, and for deleted entities the users who may learn
 * of them.
 */
export function requireStored(
  world: World,
  changes: readonly StoredChange[],
  otherLinks: readonly string[] = [],
): void {
  const missing = (ids: readonly string[], known: ReadonlyMap<string, unknown>) =>
    [...new Set(ids)].filter((id) => !known.has(id));
  const ids = (isLink: boolean) => changes.filter(({ kind }) => (kind === 'link') === isLink).map(({ id }) => id);
  const links = missing([...ids(true), ...otherLinks], world.links);
  // They are compared and may be restored, so they need their content.
  const nodes = [...new Set(ids(false))].filter((id) => {
    const node = world.nodes.get(id);
    return node === undefined || (node !== null && !isWhole(node));
  });
  if (nodes.length + links.length > 0) throw new NotLoaded({ nodes, links });
  const gone = changes.map(({ id }) => id).filter((id) => !world.nodes.get(id) && !world.links.get(id));
  const deleted = missing(gone, world.deleted);
  if (deleted.length > 0) throw new NotLoaded({ deleted });
}

/** Requests the locks of these users together if some are missing. */
export function requireUsers(ids: Iterable<string>, userOf: Transition['userOf']): void {
  const notLocked: string[] = [];
  for (const id of new Set(ids)) {
    try {
      userOf(id);
    } catch (error) {
      if (!(error instanceof NotLocked)) throw error;
      notLocked.push(...error.users);
    }
  }
  if (notLocked.length > 0) throw new NotLocked(notLocked);
}

function nodesOf(change: VisibleChange): string[] {
  return change.kind === 'link' ? sidesOf(change).flatMap(({ source, target }) => [source, target]) : [change.id];
}

function sidesOf({ before, after }: LinkChange) {
  return [before, after].filter((link) => link !== null);
}

function requireRows(world: World, nodes: Iterable<string>): void {
  const members = [...new Set(nodes)].filter((id) => !world.members.has(id));
  if (members.length > 0) throw new NotLoaded({ members });
}

/** The feeds of branches and single nodes that these nodes belong to, before or after. */
function sharesOf({ before, after }: Transition, nodes: Iterable<string>): string[] {
  const feeds = new Set<string>();
  for (const id of nodes) {
    for (const world of [before, after]) {
      for (const feed of world.members.get(id)?.keys() ?? []) if (!feed.startsWith('user:')) feeds.add(feed);
    }
  }
  return [...feeds];
}

/** Changes of a private link go to its owner alone. */
function requireOwners({ userOf }: Transition, changes: readonly VisibleChange[]): void {
  requireUsers(
    privateLinks(changes).map(({ ownerId }) => ownerId),
    userOf,
  );
}

function privateLinks(changes: readonly VisibleChange[]) {
  return changes.flatMap((change) => (change.kind === 'link' ? sidesOf(change) : [])).filter((link) => link.private);
}

function privateEnds({ userOf }: Transition, changes: readonly VisibleChange[]): (readonly [string, Reader])[] {
  return privateLinks(changes).flatMap(({ source, target, ownerId }) =>
    [source, target].map((id) => [id, userOf(ownerId)] as const),
  );
}

/** The grants by which these readers reach nodes of other owners, and further grants by key. */
function requireGrants(
  transition: Transition,
  wishes: readonly (readonly [id: string, reader: Reader])[],
  others: readonly string[],
): void {
  const grants = new Set(others);
  for (const [id, reader] of wishes) {
    if (ownerOf(transition, id) === reader.id) continue;
    for (const key of unknownGrants(transition.after, sharesOf(transition, [id]), reader)) grants.add(key);
  }
  if (grants.size > 0) throw new NotLoaded({ grants: [...grants] });
}

function ownerOf({ before, after }: Transition, id: string): string | undefined {
  return (after.nodes.get(id) ?? before.nodes.get(id))?.ownerId ?? after.owners.get(id);
}
