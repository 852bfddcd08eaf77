// Applies one change to a world and its loaded indexes.
import { LinkType } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed } from '@taskgraph/wire/feeds';
import { propagates } from '../access/reader-access.ts';
import { type Change, grantKey } from '../state/change.ts';
import type { GrantState, LinkState } from '../state/state.ts';
import { countKey, type InboundLinks, pairKey, type World, writableList } from '../state/world.ts';

export function applyChange(world: World, change: Change): void {
  switch (change.kind) {
    case 'counter': {
      const node = world.nodes.get(change.id);
      if (node) world.nodes.set(change.id, { ...node, openBlockers: change.openBlockers });
      return;
    }
    case 'mark': {
      const link = world.links.get(change.id);
      if (link) world.links.set(change.id, { ...link, trashedWithNode: false, unmarkedTime: change.time });
      return;
    }
    case 'node':
      world.nodes.set(change.id, change.after);
      if (change.before === null) indexNewNode(world, change.id);
      else if (change.after === null) world.deleted.set(change.id, [change.before.ownerId]);
      return;
    case 'link':
      world.links.set(change.id, change.after);
      if (change.before !== null) unindexLink(world, change.before);
      if (change.after !== null) indexLink(world, change.after);
      else if (change.before !== null) forgetLink(world, change.before);
      return;
    case 'grant':
      applyGrant(world, change.before, change.after);
      return;
    case 'showing': {
      const key = grantKey(change.id, change.email);
      const grant = world.grants.get(key);
      if (grant) world.grants.set(key, { ...grant, showing: change.showing });
      return;
    }
    case 'member': {
      const rows = new Map(world.members.get(change.id));
      if (change.after === null) rows.delete(change.feed);
      else rows.set(change.feed, change.after.via);
      world.members.set(change.id, rows);
      return;
    }
    case 'feed':
      world.feeds.set(change.id, change.after);
      return;
    case 'undone': {
      const batch = world.batches.get(change.id);
      if (batch) world.batches.set(change.id, { ...batch, undone: change.undone, last: change.last });
    }
  }
}

function applyGrant(world: World, before: GrantState | null, after: GrantState | null): void {
  const grant = after ?? before;
  if (grant === null) return;
  const key = grantKey(grant.nodeId, grant.email);
  world.grants.set(key, after);
  const note = (index: SetIndex, at: string, present: boolean) =>
    present ? addTo(index, at, key) : deleteFrom(index, at, key);
  note(world.grantsOn, grant.nodeId, after !== null);
  countGrant(world, grant, Number(after !== null) - Number(before !== null));
  if (before === null && !world.copies.has(key)) world.copies.set(key, new Set());
  for (const [state, present] of [[before, false] as const, [after, true] as const]) {
    if (state !== null && state.copyOf !== null) note(world.copies, grantKey(state.copyOf, state.email), present);
  }
}

function countGrant(world: World, { nodeId, email }: GrantState, by: number): void {
  const key = countKey(world.nodes.get(nodeId)?.ownerId ?? world.owners.get(nodeId) ?? '', email);
  const known = world.grantCounts.get(key);
  if (known !== undefined && by !== 0) world.grantCounts.set(key, known + by);
}

function indexNewNode(world: World, id: string): void {
  world.degrees.set(id, 0);
  world.linksOn.set(id, new Set());
  world.activeOn.set(id, new Set());
  world.returningOn.set(id, new Set());
  world.primaryFrom.set(id, new Map());
  world.primaryInto.set(id, { links: new Set(), exhaustive: true });
  world.members.set(id, new Map());
  world.propagatingInto.set(id, new Map());
  world.propagatingFrom.set(id, new Map());
  world.neighbours.set(id, new Map());
  world.grantsOn.set(id, new Set());
  for (const feed of [branchFeed(id), nodeFeed(id)]) world.feeds.set(feed, null);
}

function unindexLink(world: World, link: LinkState): void {
  if (link.inTrash) return;
  shiftDegree(world, link, -1);
  for (const end of [link.source, link.target]) deleteFrom(world.activeOn, end, link.id);
  if (!link.private) {
    dropFrom(world.neighbours, link.source, link.id);
    dropFrom(world.neighbours, link.target, link.id);
  }
  if (propagates(link)) {
    dropFrom(world.propagatingInto, link.target, link.id);
    dropFrom(world.propagatingFrom, link.source, link.id);
  }
  if (link.type !== LinkType.PRIMARY) return;
  dropFrom(world.primaryFrom, link.source, link.id);
  inboundOf(world, link.target)?.delete(link.id);
}

function indexLink(world: World, link: LinkState): void {
  const pair = pairKey(link.source, link.target);
  addTo(world.between, pair, link.id);
  const list = link.inTrash ? world.returningOn : world.activeOn;
  for (const end of [link.source, link.target]) {
    addTo(world.linksOn, end, link.id);
    addTo(list, end, link.id);
  }
  if (link.inTrash) return;
  shiftDegree(world, link, 1);
  if (!link.private) {
    putInto(world.neighbours, link.source, link.id, link.target);
    putInto(world.neighbours, link.target, link.id, link.source);
  }
  if (propagates(link)) {
    putInto(world.propagatingInto, link.target, link.id, link.source);
    putInto(world.propagatingFrom, link.source, link.id, link.target);
  }
  if (link.type !== LinkType.PRIMARY) return;
  putInto(world.primaryFrom, link.source, link.id, link.target);
  inboundOf(world, link.target)?.add(link.id);
}

// These functions update only loaded lists.

type LinkIndex = Map<string, ReadonlyMap<string, string>>;
type SetIndex = Map<string, ReadonlySet<string>>;

function putInto(index: LinkIndex, at: string, link: string, other: string): void {
  (writableList(index, at, copyOfMap) as Map<string, string> | undefined)?.set(link, other);
}

function dropFrom(index: LinkIndex, at: string, link: string): void {
  (writableList(index, at, copyOfMap) as Map<string, string> | undefined)?.delete(link);
}

function addTo(index: SetIndex, at: string, id: string): void {
  if (index.get(at)?.has(id) === false) (writableList(index, at, copyOfSet) as Set<string>).add(id);
}

function deleteFrom(index: SetIndex, at: string, id: string): void {
  if (index.get(at)?.has(id)) (writableList(index, at, copyOfSet) as Set<string>).delete(id);
}

function inboundOf(world: World, target: string): Set<string> | undefined {
  const copyOf = ({ links, exhaustive }: InboundLinks) => ({ links: new Set(links), exhaustive });
  return writableList(world.primaryInto, target, copyOf)?.links as Set<string> | undefined;
}

function copyOfMap<K, V>(map: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  return new Map(map);
}

function copyOfSet<T>(set: ReadonlySet<T>): ReadonlySet<T> {
  return new Set(set);
}

/**
 * The users who still see in history that a link existed: its creator, and the owner of both ends
 * of a public link (TRS5).
 */
export function readersOfDeletedLink(link: LinkState, ownerOf: (nodeId: string) => string | undefined): string[] {
  const [source, target] = [ownerOf(link.source), ownerOf(link.target)];
  return [
    ...new Set(!link.private && source !== undefined && source === target ? [link.ownerId, source] : [link.ownerId]),
  ];
}

/** Removes a deleted link from the indexes that include trashed links. */
function forgetLink(world: World, link: LinkState): void {
  const ownerOf = (id: string) => world.nodes.get(id)?.ownerId ?? world.owners.get(id);
  world.deleted.set(link.id, readersOfDeletedLink(link, ownerOf));
  deleteFrom(world.between, pairKey(link.source, link.target), link.id);
  for (const end of [link.source, link.target]) {
    deleteFrom(world.linksOn, end, link.id);
    deleteFrom(world.returningOn, end, link.id);
  }
}

function shiftDegree(world: World, link: LinkState, by: number): void {
  for (const end of [link.source, link.target]) {
    const degree = world.degrees.get(end);
    if (degree !== undefined) world.degrees.set(end, degree + by);
    const owned = pairKey(end, link.ownerId);
    const known = world.linksBy.get(owned);
    if (known !== undefined) world.linksBy.set(owned, known + by);
  }
}
