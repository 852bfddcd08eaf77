// The memberships of nodes in feeds. Every command that may change them keeps them exact. Rules:
// ACL2, ACL3.
//
// Each row, except a feed's own, names the propagating link that gave it, so the rows of a feed
// form a forest. If no row names a link, the link is removed at no cost. Otherwise the rows below
// it are removed, and restored where another link reaches them from outside.
import type { Refusal } from '@taskgraph/wire/errors';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Change, LinkChange, MemberChange } from '../state/change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import type { Work } from '../state/work.ts';
import { type World, writableList } from '../state/world.ts';
import { MAXIMUM_FEEDS, refuseTooManyFeeds } from './feed-limit.ts';
import { inheritedFeedsOf, ownedNode, rowsOf } from './permissions.ts';
import { feedOfGrant, propagates } from './reader-access.ts';

/**
 * Derives the membership changes of a command and applies them to `world`, which already contains
 * the command's changes. `work` counts them. Refuses more than 64 feeds per node; the refusal names
 * nodes that the caller sees.
 */
export function updateMemberships(
  world: World,
  changes: readonly Change[],
  work: Work,
  sees: (id: string) => boolean = () => false,
): MemberChange[] | Refusal {
  const { ended, begun } = linkTransitions(changes);
  const ownRows = newOwnRows(world, changes);
  const deleted = changes.filter(
    ({ kind, ...change }) => kind === 'node' && 'after' in change && change.after === null,
  );
  if (ended.length + begun.length + ownRows.length + deleted.length === 0) return [];
  const rowChanges = createRowChanges(world, work);
  for (const { id } of deleted) for (const feed of rowsOf(world, id).keys()) rowChanges.set(id, feed, undefined);
  const removed = removeRows(world, rowChanges, ended);
  restoreRows(world, rowChanges, removed);
  addInheritedRows(world, rowChanges, begun);
  for (const row of ownRows) spreadRow(world, rowChanges, { ...row, via: null });
  const result = rowChanges.changes();
  const aboveLimit = result.flatMap(({ id, after }) =>
    after !== null && rowsOf(world, id).size > MAXIMUM_FEEDS ? [id] : [],
  );
  return aboveLimit.length === 0 ? result : refuseTooManyFeeds([...new Set(aboveLimit)], sees);
}

interface LinkTransitions {
  readonly ended: LinkState[];
  readonly begun: LinkState[];
}

/**
 * The links that propagate only before the command, and those that propagate only after it. A
 * swapped link is in both lists.
 */
function linkTransitions(changes: readonly Change[]): LinkTransitions {
  const ends = new Map<string, Pick<LinkChange, 'before' | 'after'>>();
  for (const change of changes) {
    if (change.kind !== 'link') continue;
    const first = ends.get(change.id);
    ends.set(change.id, { before: first === undefined ? change.before : first.before, after: change.after });
  }
  const transitions: LinkTransitions = { ended: [], begun: [] };
  for (const { before, after } of ends.values()) {
    const propagatedBefore = before !== null && propagates(before);
    const propagatesAfter = after !== null && propagates(after);
    if (propagatedBefore && propagatesAfter && before.source === after.source) continue;
    if (propagatedBefore) transitions.ended.push(before);
    if (propagatesAfter) transitions.begun.push(after);
  }
  return transitions;
}

/**
 * New feeds of a node's own, by a grant or a publication. The rows of feeds that end stay (ACL2).
 */
function newOwnRows(world: World, changes: readonly Change[]): { id: string; feed: string }[] {
  const ownRows = new Map<string, { id: string; feed: string }>();
  const add = (id: string, feed: string) => {
    if (!rowsOf(world, id).has(feed)) ownRows.set(feed, { id, feed });
  };
  for (const change of changes) {
    if (change.kind === 'grant' && change.after !== null) add(change.id, feedOfGrant(change.after));
    if (change.kind === 'node' && change.after?.publicToken) add(change.id, publicFeedOf(change.after));
  }
  return [...ownRows.values()];
}

/** The feed of a node's publication. */
export function publicFeedOf({ id, publicBranch }: Pick<NodeState, 'id' | 'publicBranch'>): string {
  return publicBranch ? branchFeed(id) : nodeFeed(id);
}

interface RowChanges {
  readonly work: Work;
  /** Sets a row's link; undefined removes the row. */
  set(id: string, feed: string, via: string | null | undefined): void;
  changes(): MemberChange[];
}

/**
 * Collects row changes and applies each to the world immediately. Rows that end as they began yield
 * no change.
 */
function createRowChanges(world: World, work: Work): RowChanges {
  const before = new Map<string, { id: string; feed: string; via: string | null | undefined }>();
  return {
    work,
    set(id, feed, via) {
      const key = `${id}|${feed}`;
      if (!before.has(key)) {
        work.change();
        before.set(key, { id, feed, via: rowsOf(world, id).get(feed) });
      } else work.pass(1);
      const rows = writableList(world.members, id, (list) => new Map(list)) as Map<string, string | null>;
      if (via === undefined) rows.delete(feed);
      else rows.set(feed, via);
    },
    changes() {
      const row = (via: string | null | undefined) => (via === undefined ? null : { via });
      return [...before.values()]
        .map(({ id, feed, via }) => ({ id, feed, was: via, is: rowsOf(world, id).get(feed) }))
        .filter(({ was, is }) => was !== is)
        .map(({ id, feed, was, is }) => ({ kind: 'member', id, feed, before: row(was), after: row(is) }));
    },
  };
}

interface Row {
  readonly id: string;
  readonly feed: string;
}

/** Removes all rows that name these links, and all rows below them. */
function removeRows(world: World, rowChanges: RowChanges, ended: readonly LinkState[]): Row[] {
  const removed: Row[] = [];
  const givers = new Set<LinkState>();
  for (const link of ended) {
    rowChanges.work.pass(1 + rowsOf(world, link.source).size);
    for (const [feed, via] of rowsOf(world, link.source)) {
      if (via !== link.id) continue;
      removed.push({ id: link.source, feed });
      givers.add(link);
    }
  }
  requireBelow(world, startsOf(world, givers));
  for (const { id, feed } of removed) rowChanges.set(id, feed, undefined);
  // The list grows during the iteration, which makes the walk breadth first.
  for (const { id, feed } of removed) {
    for (const [link, source] of visitLinksInto(world, rowChanges, id)) {
      if (rowsOf(world, source).get(feed) !== link) continue;
      rowChanges.set(source, feed, undefined);
      removed.push({ id: source, feed });
    }
  }
  return removed;
}

/**
 * Restores the rows that another propagating link reaches from outside, and the rows below them.
 */
function restoreRows(world: World, rowChanges: RowChanges, removed: readonly Row[]): void {
  for (const { id, feed } of removed) {
    if (rowsOf(world, id).has(feed)) continue;
    rowChanges.work.pass(propagatingFrom(world, id).size);
    for (const [link, target] of propagatingFrom(world, id)) {
      if (!belongs(world, target, feed)) continue;
      spreadRow(world, rowChanges, { id, feed, via: link });
      break;
    }
  }
}

/** Gives the feeds of the target to the source of each new propagating link. */
function addInheritedRows(world: World, rowChanges: RowChanges, begun: readonly LinkState[]): void {
  const feeds = (link: LinkState) => {
    const inherited = inheritedFeedsOf(world, ownedNode(world, link.target));
    rowChanges.work.pass(inherited.length);
    return inherited;
  };
  // A feed that one link gives to the target of another continues from there, so every source may
  // start a walk.
  const givesRows = begun.some((link) => feeds(link).some((feed) => !belongs(world, link.source, feed)));
  if (givesRows)
    requireBelow(
      world,
      begun.map(({ source }) => source),
    );
  for (const link of begun) {
    for (const feed of feeds(link)) spreadRow(world, rowChanges, { id: link.source, feed, via: link.id });
  }
}

/** Requests all walks in one load, so that a node with 10,000 children costs one round. */
function requireBelow(world: World, starts: readonly string[]): void {
  const below = starts.filter((id) => !world.propagatingInto.has(id));
  if (below.length > 0) throw new NotLoaded({ below });
}

/**
 * The starts of the walks below removed links: the links' sources. If several links share a target
 * that is not loaded, one walk from it covers them all, because the database still has these links.
 */
function startsOf(world: World, givers: ReadonlySet<LinkState>): string[] {
  const byTarget = new Map<string, string[]>();
  for (const { source, target } of givers) {
    const sources = byTarget.get(target);
    if (sources) sources.push(source);
    else byTarget.set(target, [source]);
  }
  return [...byTarget].flatMap(([target, sources]) =>
    sources.length > 1 && !world.propagatingInto.has(target) ? [target] : sources,
  );
}

/** Gives a row to a node and to all nodes below it, breadth first. */
function spreadRow(world: World, rowChanges: RowChanges, first: Row & { readonly via: string | null }): void {
  if (belongs(world, first.id, first.feed)) return;
  rowChanges.set(first.id, first.feed, first.via);
  if (first.feed.startsWith('node:')) return;
  const reached = [first.id];
  for (const id of reached) {
    for (const [link, source] of visitLinksInto(world, rowChanges, id)) {
      if (belongs(world, source, first.feed)) continue;
      rowChanges.set(source, first.feed, link);
      reached.push(source);
    }
  }
}

function visitLinksInto(world: World, { work }: RowChanges, id: string): ReadonlyMap<string, string> {
  const links = propagatingInto(world, id);
  work.pass(links.size);
  return links;
}

/** Whether a node belongs to a feed, by a row or as its owner's. */
function belongs(world: World, id: string, feed: string): boolean {
  return feed === userFeed(ownedNode(world, id).ownerId) || rowsOf(world, id).has(feed);
}

function propagatingInto(world: World, id: string): ReadonlyMap<string, string> {
  const links = world.propagatingInto.get(id);
  if (links === undefined) throw new NotLoaded({ below: [id] });
  return links;
}

function propagatingFrom(world: World, id: string): ReadonlyMap<string, string> {
  const links = world.propagatingFrom.get(id);
  if (links === undefined) throw new NotLoaded({ below: [id] });
  return links;
}
