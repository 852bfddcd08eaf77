// The reads of a draft. Missing data is requested by throwing `NotLoaded`; the group loads it and
// decides again.

import { definedFields } from '@taskgraph/wire/defined-fields';
import type { BatchHead } from './batch.ts';
import { NotLoaded, type ReadItem } from './read-set.ts';
import type { LinkState, NodeState } from './state.ts';
import type { Work } from './work.ts';
import { countKey, pairKey, pathKey, type World } from './world.ts';

/**
 * `untouched`: whether the draft's links still equal those in the database. `work` counts visited
 * entries.
 */
export function lookupsOf(world: World, untouched: () => boolean, work: Work) {
  const existingNode = (id: string): NodeState => {
    const state = world.nodes.get(id);
    if (state === undefined) throw new NotLoaded({ nodes: [id] });
    if (state === null) throw new Error(`node ${id} is named by a link and does not exist`);
    return state;
  };
  const existingLink = (id: string): LinkState => {
    const state = world.links.get(id);
    if (state === undefined) throw new NotLoaded({ links: [id] });
    if (state === null) throw new Error(`link ${id} is indexed and does not exist`);
    return state;
  };
  /**
   * By id. Requests all missing links in one load, because a list of ids may be loaded without its
   * links.
   */
  const existingLinks = (ids: ReadonlySet<string>): LinkState[] => {
    work.pass(ids.size);
    const sorted = [...ids].sort();
    const links = sorted.filter((id) => !world.links.has(id));
    if (links.length > 0) throw new NotLoaded({ links });
    return sorted.map(existingLink);
  };
  const primaryFrom = (id: string): ReadonlyMap<string, string> => {
    const links = world.primaryFrom.get(id);
    if (links === undefined) throw new NotLoaded({ targetsOf: [id] });
    work.pass(links.size);
    return links;
  };
  const knownHead = (id: string): BatchHead | null | undefined => {
    const batch = world.batches.get(id);
    return batch === undefined ? world.batchHeads.get(id) : batch;
  };
  const knownLater = ({ entity, batch }: ReadItem<'laterThan'>) => {
    const later = world.later.get(entity);
    const stored = later?.since.get(batch);
    return later === undefined || stored === undefined ? undefined : [...later.made, ...stored];
  };
  const knownBetween = (one: string, other: string): LinkState[] | undefined => {
    const links = world.between.get(pairKey(one, other));
    if (links !== undefined) return [...links].map(existingLink);
    // If all links on one of the two nodes are loaded, they contain the answer.
    return linksTo(world, one, other, work) ?? linksTo(world, other, one, work);
  };
  return {
    node(id: string) {
      const state = world.nodes.get(id);
      if (state === undefined) throw new NotLoaded({ nodes: [id] });
      return state;
    },
    link(id: string) {
      const state = world.links.get(id);
      if (state === undefined) throw new NotLoaded({ links: [id] });
      return state;
    },
    existingNode,
    existingLink,
    requireNodes(ids: readonly string[]) {
      const nodes = ids.filter((id) => !world.nodes.has(id));
      if (nodes.length > 0) throw new NotLoaded({ nodes });
    },
    requireLinks(ids: readonly string[]) {
      const links = ids.filter((id) => !world.links.has(id));
      if (links.length > 0) throw new NotLoaded({ links });
    },
    requireTargetsOf(ids: readonly string[]) {
      const targetsOf = ids.filter((id) => !world.primaryFrom.has(id));
      if (targetsOf.length > 0) throw new NotLoaded({ targetsOf });
    },
    requireClosures(ids: readonly string[]) {
      const closuresOf = ids.filter((id) => !world.primaryFrom.has(id));
      if (closuresOf.length > 0) throw new NotLoaded({ closuresOf });
    },
    batch(id: string) {
      const batch = world.batches.get(id);
      if (batch === undefined) throw new NotLoaded({ batches: [id] });
      return batch;
    },
    formerReaders(id: string) {
      const readers = world.deleted.get(id);
      if (readers === undefined) throw new NotLoaded({ deleted: [id] });
      return readers;
    },
    batchHead(id: string) {
      const head = knownHead(id);
      if (head === undefined) throw new NotLoaded({ batchHeads: [id] });
      return head;
    },
    later(item: ReadItem<'laterThan'>) {
      const batches = knownLater(item);
      if (batches === undefined) throw new NotLoaded({ laterThan: [item] });
      return batches;
    },
    requireHistory(heads: readonly string[], later: readonly ReadItem<'laterThan'>[]) {
      const batchHeads = [...new Set(heads)].filter((id) => knownHead(id) === undefined);
      const items = new Map(later.map((item) => [`${item.entity}|${item.batch}`, item]));
      const laterThan = [...items.values()].filter((item) => knownLater(item) === undefined);
      if (batchHeads.length + laterThan.length > 0) throw new NotLoaded({ batchHeads, laterThan });
    },
    copiesOf(key: string) {
      const keys = world.copies.get(key);
      if (keys === undefined) throw new NotLoaded({ copiesOf: [key] });
      return [...keys].sort();
    },
    grantsTo({ id, ownerId }: Pick<NodeState, 'id' | 'ownerId'>, email: string) {
      const count = world.grantCounts.get(countKey(ownerId, email));
      // The request names the owner, because the database may not know a new node.
      if (count === undefined) throw new NotLoaded({ grantsTo: [{ node: id, email, owner: ownerId }] });
      return count;
    },
    degree(id: string) {
      const degree = world.degrees.get(id);
      if (degree === undefined) throw new NotLoaded({ nodes: [id] });
      return degree;
    },
    linksBy(node: string, owner: string) {
      const count = world.linksBy.get(pairKey(node, owner)) ?? countLinksBy(world, node, owner, work);
      if (count === undefined) throw new NotLoaded({ linksBy: [{ node, owner }] });
      return count;
    },
    requireLinksBy(pairs: readonly { readonly node: string; readonly owner: string }[]) {
      const unknown = new Map(pairs.map((pair) => [pairKey(pair.node, pair.owner), pair]));
      const linksBy = [...unknown]
        .filter(
          ([key, { node, owner }]) => !world.linksBy.has(key) && countLinksBy(world, node, owner, work) === undefined,
        )
        .map(([, pair]) => pair);
      if (linksBy.length > 0) throw new NotLoaded({ linksBy });
    },
    linksOn(id: string) {
      const links = world.linksOn.get(id);
      if (links === undefined) throw new NotLoaded({ linksOn: [id] });
      return existingLinks(links);
    },
    activeOn(id: string) {
      const links = world.activeOn.get(id);
      if (links === undefined) throw new NotLoaded({ activeOn: [id] });
      return existingLinks(links);
    },
    returningOn(id: string) {
      const links = world.returningOn.get(id);
      if (links === undefined) throw new NotLoaded({ returningOn: [id] });
      return existingLinks(links)
        .filter(({ inTrash, trashedWithNode }) => inTrash && trashedWithNode)
        .filter(({ source, target }) => [source, target].every((end) => end === id || !existingNode(end).inTrash));
    },
    linksBetween(one: string, other: string) {
      const links = knownBetween(one, other);
      if (links === undefined) throw new NotLoaded({ between: [[one, other]] });
      return links;
    },
    requireLinksBetween(pairs: readonly (readonly [string, string])[]) {
      const between = pairs.filter(([one, other]) => knownBetween(one, other) === undefined);
      if (between.length > 0) throw new NotLoaded({ between });
    },
    primaryFrom,
    primaryInto(id: string) {
      const inbound = world.primaryInto.get(id);
      if (!inbound?.exhaustive) throw new NotLoaded({ sourcesOf: [id] });
      work.pass(inbound.links.size);
      return inbound.links;
    },
    blockersOf(id: string) {
      const inbound = world.primaryInto.get(id);
      if (inbound === undefined) throw new NotLoaded({ blockersOf: [id] });
      work.pass(inbound.links.size);
      return inbound.links;
    },
    path(from: string, to: string, without?: string) {
      return shortestPath(world, { from, to, without }, untouched(), work);
    },
  };
}

/** The links between two nodes, if all links on the first are loaded. */
function linksTo(world: World, node: string, other: string, work: Work): LinkState[] | undefined {
  work.pass(world.linksOn.get(node)?.size ?? 0);
  const links = [...(world.linksOn.get(node) ?? [])].map((id) => world.links.get(id) ?? undefined);
  if (!world.linksOn.has(node) || links.includes(undefined)) return undefined;
  return (links as LinkState[]).filter(({ source, target }) => source === other || target === other);
}

/** The number of a user's active links on a node, if all its links are loaded. */
function countLinksBy(world: World, node: string, owner: string, work: Work): number | undefined {
  work.pass(world.activeOn.get(node)?.size ?? 0);
  const links = [...(world.activeOn.get(node) ?? [])].map((id) => world.links.get(id) ?? undefined);
  if (!world.activeOn.has(node) || links.includes(undefined)) return undefined;
  return links.filter((link) => link?.ownerId === owner).length;
}

/**
 * Breadth first over loaded links. If the graph is too large to load, the database's answer is
 * used.
 */
function shortestPath(
  world: World,
  { from, to, without }: { readonly from: string; readonly to: string; readonly without: string | undefined },
  untouched: boolean,
  work: Work,
): readonly string[] | null {
  const known = untouched ? world.paths.get(pathKey(from, to, without)) : undefined;
  if (known !== undefined) return known;
  const cameFrom = new Map<string, string | null>([[from, null]]);
  const unknown: string[] = [];
  // The map grows during the iteration, which makes the walk breadth first.
  for (const id of cameFrom.keys()) {
    if (id === to && unknown.length === 0) return trace(cameFrom, to);
    const links = world.primaryFrom.get(id);
    if (links === undefined && untouched) throw new NotLoaded({ paths: [pathFrom(from, to, without)] });
    work.pass(1 + (links?.size ?? 0));
    if (links === undefined) unknown.push(id);
    else for (const [link, target] of links) if (link !== without && !cameFrom.has(target)) cameFrom.set(target, id);
  }
  // The walk began at a new node or passed a new link. The database knows neither.
  if (unknown.length > 0) throw new NotLoaded({ closuresOf: unknown });
  return null;
}

function pathFrom(from: string, to: string, without: string | undefined): ReadItem<'paths'> {
  return { from, to, ...definedFields({ without }) };
}

function trace(cameFrom: ReadonlyMap<string, string | null>, to: string): string[] {
  const path: string[] = [];
  for (let id: string | null = to; id !== null; id = cameFrom.get(id) ?? null) path.push(id);
  return path.reverse();
}
