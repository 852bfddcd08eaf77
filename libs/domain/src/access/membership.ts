// Which feeds a node belongs to, kept right by every command that can change it. Rules: ACL2, ACL3.
//
// Each row but a feed's own hangs on the conveying link that gave it, so that the rows of a feed form a forest. A link on which
// nothing hangs goes for free; else what hangs on it is taken out, and put back where another link reaches it from outside.
import type { Refusal } from '@taskgraph/wire/errors';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Change, LinkChange, MemberChange } from '../state/change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import type { Work } from '../state/work.ts';
import { ownList, type World } from '../state/world.ts';
import { conveys, feedOfGrant } from './access.ts';
import { inheritableFeeds, ownedNode, rowsOf } from './permissions.ts';
import { MAXIMUM_FEEDS, tooManyFeeds } from './too-many-feeds.ts';

/**
 * The moves of membership that follow from a command's changes, which `world` has already taken in. They are applied to the world too, and
 * `work` counts them. Refused where a node would belong to more than 64 feeds: of such nodes those are named that the caller sees.
 */
export function moveMemberships(
  world: World,
  changes: readonly Change[],
  work: Work,
  sees: (id: string) => boolean = () => false,
): MemberChange[] | Refusal {
  const { gone, come } = movedLinks(changes);
  const seeds = newSeeds(world, changes);
  const deleted = changes.filter(
    ({ kind, ...change }) => kind === 'node' && 'after' in change && change.after === null,
  );
  if (gone.length + come.length + seeds.length + deleted.length === 0) return [];
  const moves = openMoves(world, work);
  for (const { id } of deleted) for (const feed of rowsOf(world, id).keys()) moves.set(id, feed, undefined);
  const taken = takeOut(world, moves, gone);
  putBack(world, moves, taken);
  bring(world, moves, come);
  for (const seed of seeds) spread(world, moves, { ...seed, via: null });
  const result = moves.changes();
  const crowded = result.flatMap(({ id, after }) =>
    after !== null && rowsOf(world, id).size > MAXIMUM_FEEDS ? [id] : [],
  );
  return crowded.length === 0 ? result : tooManyFeeds([...new Set(crowded)], sees);
}

interface MovedLinks {
  readonly gone: LinkState[];
  readonly come: LinkState[];
}

/** The links that conveyed before the command and don't after it, and the other way round. A reversed link is both. */
function movedLinks(changes: readonly Change[]): MovedLinks {
  const ends = new Map<string, Pick<LinkChange, 'before' | 'after'>>();
  for (const change of changes) {
    if (change.kind !== 'link') continue;
    const first = ends.get(change.id);
    ends.set(change.id, { before: first === undefined ? change.before : first.before, after: change.after });
  }
  const moved: MovedLinks = { gone: [], come: [] };
  for (const { before, after } of ends.values()) {
    const did = before !== null && conveys(before);
    const does = after !== null && conveys(after);
    if (did && does && before.source === after.source) continue;
    if (did) moved.gone.push(before);
    if (does) moved.come.push(after);
  }
  return moved;
}

/** Feeds that nodes become the own node of: by a grant or a publication. Rows of those that they cease to be stay (ACL2). */
function newSeeds(world: World, changes: readonly Change[]): { id: string; feed: string }[] {
  const seeds = new Map<string, { id: string; feed: string }>();
  const add = (id: string, feed: string) => {
    if (!rowsOf(world, id).has(feed)) seeds.set(feed, { id, feed });
  };
  for (const change of changes) {
    if (change.kind === 'grant' && change.after !== null) add(change.id, feedOfGrant(change.after));
    if (change.kind === 'node' && change.after?.publicToken) add(change.id, publicFeedOf(change.after));
  }
  return [...seeds.values()];
}

/** The feed as which a node is published. */
export function publicFeedOf({ id, publicBranch }: Pick<NodeState, 'id' | 'publicBranch'>): string {
  return publicBranch ? branchFeed(id) : nodeFeed(id);
}

interface Moves {
  readonly work: Work;
  /** Sets a row's link, or removes the row where `via` is undefined. */
  set(id: string, feed: string, via: string | null | undefined): void;
  changes(): MemberChange[];
}

/** Collects moves, each applied to the world at once: one change for each row that differs in the end. */
function openMoves(world: World, work: Work): Moves {
  const before = new Map<string, { id: string; feed: string; via: string | null | undefined }>();
  return {
    work,
    set(id, feed, via) {
      const key = `${id}|${feed}`;
      if (!before.has(key)) {
        work.change();
        before.set(key, { id, feed, via: rowsOf(world, id).get(feed) });
      } else work.pass(1);
      const rows = ownList(world.members, id, (list) => new Map(list)) as Map<string, string | null>;
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

/** Takes out all rows that hang on these links, with all that hang on those. */
function takeOut(world: World, moves: Moves, gone: readonly LinkState[]): Row[] {
  const taken: Row[] = [];
  const carrying = new Set<LinkState>();
  for (const link of gone) {
    moves.work.pass(1 + rowsOf(world, link.source).size);
    for (const [feed, via] of rowsOf(world, link.source)) {
      if (via !== link.id) continue;
      taken.push({ id: link.source, feed });
      carrying.add(link);
    }
  }
  requireBelow(world, startsOf(world, carrying));
  for (const { id, feed } of taken) moves.set(id, feed, undefined);
  // The list grows while it is walked, which is breadth first.
  for (const { id, feed } of taken) {
    for (const [link, source] of walkedInto(world, moves, id)) {
      if (rowsOf(world, source).get(feed) !== link) continue;
      moves.set(source, feed, undefined);
      taken.push({ id: source, feed });
    }
  }
  return taken;
}

/** Puts back what other conveying links reach from outside, and then what hangs below it: the rest have left. */
function putBack(world: World, moves: Moves, taken: readonly Row[]): void {
  for (const { id, feed } of taken) {
    if (rowsOf(world, id).has(feed)) continue;
    moves.work.pass(conveyedFrom(world, id).size);
    for (const [link, target] of conveyedFrom(world, id)) {
      if (!has(world, target, feed)) continue;
      spread(world, moves, { id, feed, via: link });
      break;
    }
  }
}

/** Gives the sources of links that begin to convey what the targets belong to. */
function bring(world: World, moves: Moves, come: readonly LinkState[]): void {
  const feeds = (link: LinkState) => {
    const inherited = inheritableFeeds(world, ownedNode(world, link.target));
    moves.work.pass(inherited.length);
    return inherited;
  };
  // Feeds that one link brings to the end of another go on from there, so that all sources may be walked from.
  const moving = come.some((link) => feeds(link).some((feed) => !has(world, link.source, feed)));
  if (moving)
    requireBelow(
      world,
      come.map(({ source }) => source),
    );
  for (const link of come) {
    for (const feed of feeds(link)) spread(world, moves, { id: link.source, feed, via: link.id });
  }
}

/** Asks for all walks at once, so that a node of 10,000 children costs one round of loading. */
function requireBelow(world: World, starts: readonly string[]): void {
  const below = starts.filter((id) => !world.conveyedInto.has(id));
  if (below.length > 0) throw new NotLoaded({ below });
}

/** Where walks over what links carried begin: at their sources, or where several had one target, as in the database they still do, there. */
function startsOf(world: World, carrying: ReadonlySet<LinkState>): string[] {
  const byTarget = new Map<string, string[]>();
  for (const { source, target } of carrying) {
    const sources = byTarget.get(target);
    if (sources) sources.push(source);
    else byTarget.set(target, [source]);
  }
  return [...byTarget].flatMap(([target, sources]) =>
    sources.length > 1 && !world.conveyedInto.has(target) ? [target] : sources,
  );
}

/** Gives a row to a node and to all below it that do not have it, breadth first. */
function spread(world: World, moves: Moves, first: Row & { readonly via: string | null }): void {
  if (has(world, first.id, first.feed)) return;
  moves.set(first.id, first.feed, first.via);
  if (first.feed.startsWith('node:')) return;
  const reached = [first.id];
  for (const id of reached) {
    for (const [link, source] of walkedInto(world, moves, id)) {
      if (has(world, source, first.feed)) continue;
      moves.set(source, first.feed, link);
      reached.push(source);
    }
  }
}

function walkedInto(world: World, { work }: Moves, id: string): ReadonlyMap<string, string> {
  const links = conveyedInto(world, id);
  work.pass(links.size);
  return links;
}

/** Whether a node belongs to a feed, by a row or as its owner's. */
function has(world: World, id: string, feed: string): boolean {
  return feed === userFeed(ownedNode(world, id).ownerId) || rowsOf(world, id).has(feed);
}

function conveyedInto(world: World, id: string): ReadonlyMap<string, string> {
  const links = world.conveyedInto.get(id);
  if (links === undefined) throw new NotLoaded({ below: [id] });
  return links;
}

function conveyedFrom(world: World, id: string): ReadonlyMap<string, string> {
  const links = world.conveyedFrom.get(id);
  if (links === undefined) throw new NotLoaded({ below: [id] });
  return links;
}
